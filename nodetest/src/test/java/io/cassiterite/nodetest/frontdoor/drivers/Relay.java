/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor.drivers;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A loopback port that passes bytes to a server and back, until somebody cuts the connections. */
final class Relay implements AutoCloseable
{
    private static final int BUFFER_BYTES = 1 << 16;

    private final InetSocketAddress server;
    private final ServerSocket listener;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

    Relay(InetSocketAddress server) throws IOException
    {
        this.server = server;
        listener = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
        inBackground(this::accept);
    }

    InetSocketAddress address()
    {
        return (InetSocketAddress) listener.getLocalSocketAddress();
    }

    /** Ends all connections of now. @return how many there were */
    int cut()
    {
        int count = 0;
        for (Socket socket : sockets)
        {
            end(socket);
            count++;
        }
        return count / 2;
    }

    private void accept()
    {
        while (!listener.isClosed())
        {
            try
            {
                relay(listener.accept());
            }
            catch (IOException e)
            {
                // closed, or the server does not run: the next one may be luckier
            }
        }
    }

    private void relay(Socket client) throws IOException
    {
        Socket onward = new Socket();
        sockets.add(client);
        sockets.add(onward);
        try
        {
            client.setTcpNoDelay(true);
            onward.setTcpNoDelay(true);
            onward.connect(server);
        }
        catch (IOException e)
        {
            end(client);
            end(onward);
            throw e;
        }
        inBackground(() -> pass(client, onward));
        inBackground(() -> pass(onward, client));
    }

    private void pass(Socket from, Socket to)
    {
        byte[] buffer = new byte[BUFFER_BYTES];
        try (InputStream in = from.getInputStream(); OutputStream out = to.getOutputStream())
        {
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer))
                out.write(buffer, 0, count);
        }
        catch (IOException e)
        {
            // one side has ended: so does the other
        }
        end(from);
        end(to);
    }

    private void end(Socket socket)
    {
        sockets.remove(socket);
        try
        {
            socket.close();
        }
        catch (IOException e)
        {
            // it is closed
        }
    }

    private static void inBackground(Runnable task)
    {
        Thread thread = new Thread(task, "relay");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException
    {
        listener.close();
        cut();
    }
}
