/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import javax.net.ssl.SSLSocketFactory;

/** Lets clients that speak no TLS use a port that does: what they send goes on encrypted, and what comes back is plain. */
final class TlsRelay implements AutoCloseable
{
    private static final int BUFFER_BYTES = 1 << 16;
    private static final int BACKLOG = 128;

    private final InetSocketAddress node;
    private final SSLSocketFactory factory;
    private final ServerSocket listening;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

    TlsRelay(InetSocketAddress node, SSLSocketFactory factory) throws IOException
    {
        this.node = node;
        this.factory = factory;
        listening = new ServerSocket(0, BACKLOG, InetAddress.getByName("127.0.0.1"));
        start(this::accept);
    }

    InetSocketAddress address()
    {
        return (InetSocketAddress) listening.getLocalSocketAddress();
    }

    private static void start(Runnable work)
    {
        Thread thread = new Thread(work, "tls-relay");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept()
    {
        try
        {
            while (true)
            {
                Socket client = listening.accept();
                Socket far = factory.createSocket(node.getAddress(), node.getPort());
                client.setTcpNoDelay(true);
                far.setTcpNoDelay(true);
                sockets.add(client);
                sockets.add(far);
                start(() -> pump(client, far));
                start(() -> pump(far, client));
            }
        }
        catch (IOException e)
        {
            close();
        }
    }

    /** The end of one side is the other's. */
    private void pump(Socket from, Socket to)
    {
        byte[] bytes = new byte[BUFFER_BYTES];
        try (from; to)
        {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int count = in.read(bytes); count >= 0; count = in.read(bytes))
                out.write(bytes, 0, count);
        }
        catch (IOException e)
        {
            // whoever reads of it learns that it has ended
        }
        sockets.remove(from);
    }

    @Override
    public void close()
    {
        try
        {
            listening.close();
            for (Socket socket : sockets)
                socket.close();
        }
        catch (IOException e)
        {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
