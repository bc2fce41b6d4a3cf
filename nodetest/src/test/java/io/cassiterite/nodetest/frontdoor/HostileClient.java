/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.BufferUnderflowException;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/** Sends bytes that no driver sends, and tells in words how that ends. */
final class HostileClient
{
    private static final int PROBE_STREAM = 77;

    private HostileClient()
    {
    }

    /**
     * @param connection  is set up, and closed afterwards
     * @param quietMillis after which nothing more is expected
     * @return the answers to the attack, and whether the connection goes on
     */
    static String outcome(Connection connection, int version, byte[] attack, int quietMillis) throws IOException
    {
        try (connection)
        {
            connection.patience(quietMillis);
            Set<String> answers = new TreeSet<>();
            // Only then a probe: bytes that came together might be answered, or thrown away, together.
            String end = send(connection, attack, answers);
            if (end == null)
            {
                Envelope probe = Requests.options().envelope(version, PROBE_STREAM);
                end = send(connection, connection.framed(List.of(probe), new Random(0)), answers);
            }
            return String.join("\n", answers) + (end == null ? "\nopen" : end);
        }
    }

    /**
     * Adds all answers; equal ones once, because Cassandra answers what it cannot decode with each read of the socket.
     *
     * @return how the connection ended; null while it is open
     */
    private static String send(Connection connection, byte[] bytes, Set<String> answers)
    {
        try
        {
            connection.write(bytes);
        }
        catch (IOException e)
        {
            // Closed meanwhile: reading tells.
        }
        try
        {
            while (true)
                answers.add(words(connection.read()));
        }
        catch (SocketTimeoutException e)
        {
            return null;
        }
        catch (IOException e)
        {
            return "\nclosed";
        }
        catch (BufferUnderflowException e)
        {
            // To what seems to be of version 1 or 2 stock answers with the shorter header of those, in a frame.
            return "\nno envelope";
        }
    }

    /** The id of the connection, in which messages differ, is taken out. */
    private static String words(Envelope answer)
    {
        String head = answer.version + " " + answer.flags + ' ' + answer.stream + ' ' + answer.opcode + ' ';
        if (answer.opcode != Envelope.ERROR)
            return head + Text.hex(Answer.comparable(answer));
        Answer error = new Answer(answer);
        return head + error.kind() + ' ' + error.message().replaceAll("^[0-9a-f]{8} ", "").replaceAll("(?<=OutOfBoundsException).*", "");
    }

    /** @return what is answered to bytes that come before STARTUP, in hex, and whether the connection is closed */
    static String rawOutcome(InetSocketAddress node, byte[] attack, int quietMillis) throws IOException
    {
        StringBuilder text = new StringBuilder();
        try (Socket socket = new Socket())
        {
            socket.connect(node);
            socket.setSoTimeout(quietMillis);
            socket.getOutputStream().write(attack);
            InputStream in = socket.getInputStream();
            for (int b = in.read(); b >= 0; b = in.read())
                text.append(String.format("%02x", b));
            return text.append(" closed").toString();
        }
        catch (SocketTimeoutException e)
        {
            return text.append(" waits").toString();
        }
        catch (IOException e)
        {
            return text.append(" closed").toString();
        }
    }
}
