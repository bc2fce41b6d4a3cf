/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest;

import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import javax.management.MBeanServer;
import javax.management.ObjectName;

import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.transport.Server;
import org.apache.cassandra.utils.Clock;

/**
 * A second native transport of a test node, on a port of its own: Cassandra's as released, which the front door leaves
 * alone; its clients speak TLS if those of the node's own do. In the node this is the clock, which Cassandra creates first
 * of all; it opens the port once the node's own is open. The time is the machine's.
 */
public final class StockTransport implements Clock
{
    private static final String ADDRESS_PROPERTY = "cassiterite.stock_transport.address";
    private static final String PORT_PROPERTY = "cassiterite.stock_transport.port";
    private static final String FAILURE_PROPERTY = "cassiterite.stock_transport.failure";
    private static final String STORAGE = "org.apache.cassandra.db:type=StorageService";
    private static final Duration OPEN_BOUND = Duration.ofSeconds(120);
    private static final int POLL_MILLIS = 20;

    /** Called by Cassandra. */
    public StockTransport()
    {
        Thread thread = new Thread(this::open, "stock-transport");
        thread.setDaemon(true);
        thread.start();
    }

    /**
     * Adds the port to a node.
     *
     * @return its address, which answers some time after the node has started: {@link #await}
     */
    public static InetSocketAddress on(NodeBuilder node)
    {
        int port = FreePorts.next(node.address);
        node.jvm("-Dcassandra.clock=" + StockTransport.class.getName()).jvm("-D" + ADDRESS_PROPERTY + "=" + node.address)
            .jvm("-D" + PORT_PROPERTY + "=" + port).jvm("-D" + FAILURE_PROPERTY + "=" + failure(node.base));
        return new InetSocketAddress(node.address, port);
    }

    /** Waits until the port of a node that runs accepts clients. */
    public static void await(Node node, InetSocketAddress address)
    {
        long deadlineNanos = System.nanoTime() + OPEN_BOUND.toNanos();
        while (!accepts(address))
        {
            if (Files.exists(failure(node.base())) || System.nanoTime() > deadlineNanos)
                throw new IllegalStateException("the stock transport does not open " + address + ": see " + node.base());
            Pause.millis(POLL_MILLIS);
        }
    }

    private static boolean accepts(InetSocketAddress address)
    {
        try (Socket socket = new Socket())
        {
            socket.connect(address);
            return true;
        }
        catch (java.io.IOException e)
        {
            return false;
        }
    }

    private static Path failure(Path base)
    {
        return base.resolve("stock-transport-failure");
    }

    private void open()
    {
        try
        {
            MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
            ObjectName storage = new ObjectName(STORAGE);
            while (!beans.isRegistered(storage) || !(boolean) beans.getAttribute(storage, "NativeTransportRunning"))
                Thread.sleep(POLL_MILLIS);
            new Server.Builder().withHost(InetAddress.getByName(System.getProperty(ADDRESS_PROPERTY)))
                                .withPort(Integer.getInteger(PORT_PROPERTY))
                                .withTlsEncryptionPolicy(DatabaseDescriptor.getNativeProtocolEncryptionOptions().tlsEncryptionPolicy())
                                .build().start();
        }
        catch (Exception | Error e)
        {
            fail(e);
        }
    }

    private static void fail(Throwable cause)
    {
        try
        {
            Files.writeString(Path.of(System.getProperty(FAILURE_PROPERTY)), cause.toString());
        }
        catch (java.io.IOException e)
        {
            e.addSuppressed(cause);
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Override
    public long nanoTime()
    {
        return System.nanoTime();
    }

    @Override
    public long currentTimeMillis()
    {
        return System.currentTimeMillis();
    }
}
