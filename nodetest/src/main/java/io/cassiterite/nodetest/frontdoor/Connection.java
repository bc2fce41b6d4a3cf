/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** A client's connection that sends and receives whole envelopes. One thread. */
final class Connection implements AutoCloseable
{
    private static final int PATIENCE_MILLIS = 60_000;
    private static final int BUFFER_BYTES = 1 << 16;

    /** What both connections of a comparison have in common. */
    static final class Setup
    {
        final int version;
        final Compression compression;
        /** To be used from the start; null for none. */
        final String keyspace;

        Setup(int version, Compression compression, String keyspace)
        {
            this.version = version;
            this.compression = compression;
            this.keyspace = keyspace;
        }

        @Override
        public String toString()
        {
            return "v" + version + ' ' + compression + (keyspace == null ? "" : " in " + keyspace);
        }
    }

    private final Socket socket = new Socket();
    private final Framing framing;
    private final DataInputStream in;
    private final OutputStream out;
    private final List<String> events = new ArrayList<>();

    Connection(InetSocketAddress node, Setup setup) throws IOException
    {
        socket.setSoTimeout(PATIENCE_MILLIS);
        socket.setTcpNoDelay(true);
        socket.connect(node, PATIENCE_MILLIS);
        in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), BUFFER_BYTES));
        out = socket.getOutputStream();
        framing = Framing.of(setup.version, setup.compression);
        startup(setup);
    }

    private void startup(Setup setup) throws IOException
    {
        Map<String, String> options = new LinkedHashMap<>(Map.of("CQL_VERSION", "3.0.0"));
        if (setup.compression != Compression.NONE)
            options.put("COMPRESSION", setup.compression.option);
        out.write(new Envelope(setup.version, 0, 0, Envelope.STARTUP, new Body().strings(options).bytes()).bytes());
        // Frames begin, and bodies are compressed, after this answer in version 5 and with it in the others.
        Envelope ready = setup.version < 5 ? framing.read(in) : Envelope.read(in);
        if (ready.opcode != Envelope.READY)
            throw new IOException("not ready: " + Text.of(ready));
        if (setup.keyspace != null)
            call(new Request(Envelope.QUERY, new Body().longString("USE " + setup.keyspace).u16(1).raw(new byte[setup.version < 5 ? 1 : 4])
                                                       .bytes(), "USE " + setup.keyspace).envelope(setup.version, 0));
    }

    /** Sends one request as drivers do, and returns its answer; nothing else is under way. */
    Envelope call(Envelope request) throws IOException
    {
        write(framing.write(request));
        return read();
    }

    /**
     * Sends envelopes in frames of random size.
     *
     * @param cut whether the bytes may go in pieces, too
     */
    void send(List<Envelope> envelopes, Random random, boolean cut) throws IOException
    {
        byte[] bytes = framing.write(envelopes, random);
        int pieces = !cut || random.nextInt(3) > 0 ? 1 : 1 + random.nextInt(6);
        int from = 0;
        while (--pieces > 0 && from < bytes.length)
        {
            int length = random.nextInt(Math.min(bytes.length - from, random.nextBoolean() ? 20 : bytes.length) + 1);
            out.write(bytes, from, length);
            from += length;
        }
        out.write(bytes, from, bytes.length - from);
    }

    /** @return envelopes as they lie on this connection */
    byte[] framed(List<Envelope> envelopes, Random random) throws IOException
    {
        return framing.write(envelopes, random);
    }

    /** Sends bytes as they are. */
    void write(byte[] bytes) throws IOException
    {
        out.write(bytes);
    }

    /** @return the next answer; events are put aside */
    Envelope read() throws IOException
    {
        while (true)
        {
            Envelope envelope = framing.read(in);
            if (envelope.stream != Envelope.EVENT_STREAM)
                return envelope;
            events.add(Text.of(envelope));
        }
    }

    /** @return the events that came so far, for a reader */
    List<String> events()
    {
        return events;
    }

    /** Ends what this client sends; it still reads. */
    void endRequests() throws IOException
    {
        socket.shutdownOutput();
    }

    /** Closes it with a reset, as when a client's machine dies. */
    void reset() throws IOException
    {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    /** @return the port from which this client came */
    int port()
    {
        return socket.getLocalPort();
    }

    /** Waits for the node to send something. @return whether that is the end */
    boolean isEnded() throws IOException
    {
        try
        {
            return in.read() < 0;
        }
        catch (SocketException e)
        {
            return true;
        }
    }

    void patience(int millis) throws IOException
    {
        socket.setSoTimeout(millis);
    }

    @Override
    public void close() throws IOException
    {
        socket.close();
    }
}
