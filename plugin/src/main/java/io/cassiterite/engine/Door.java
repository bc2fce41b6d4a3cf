/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.engine;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Native threads that accept CQL clients and pass on what they send. Every method may be called from any thread. */
public final class Door
{
    private static final int COUNTERS = 6;

    private final long handle;

    private Door(long handle)
    {
        this.handle = handle;
    }

    /** Starts the threads; nobody can connect yet. @param loops threads that serve connections */
    public static Door open(int loops)
    {
        return new Door(Native.doorOpen(loops));
    }

    /**
     * Listens; clients can connect when it returns.
     *
     * @param mayBeTls whether clients that speak TLS are handed over with their own socket
     * @return the number that {@link Client#listener} has
     * @throws EngineException of kind IO if the address cannot be bound
     */
    public long listen(InetSocketAddress address, int backlog, boolean keepAlive, boolean mayBeTls)
    {
        return Native.doorListen(handle, address.getAddress().getAddress(), address.getPort(), backlog, keepAlive, mayBeTls);
    }

    /** The port is free when it returns; the clients stay. */
    public void stopListening(long listener)
    {
        Native.doorStopListening(handle, listener);
    }

    /**
     * Waits for clients, whose descriptors then belong to the caller.
     *
     * @return none after the time is over; null once the door is closed
     */
    public List<Client> take(int patienceMillis)
    {
        byte[] taken;
        try
        {
            taken = Native.doorTake(handle, patienceMillis);
        }
        catch (EngineException e)
        {
            if (e.kind() == EngineException.Kind.CLOSED)
                return null;
            throw e;
        }
        return taken == null ? null : clients(ByteBuffer.wrap(taken));
    }

    /** @return what the door has done since it opened */
    public Counters counters()
    {
        long[] values = new long[COUNTERS];
        Native.doorCounters(handle, values);
        return new Counters(values[0], values[1], values[2], values[3], values[4], values[5]);
    }

    /** Ends all connections and threads; returns when they are gone. Idempotent. */
    public void close()
    {
        Native.doorClose(handle);
    }

    /** Closes a descriptor that {@link #take} returned and that nothing else has taken over. */
    public static void closeDescriptor(int descriptor)
    {
        Native.socketClose(descriptor);
    }

    private static List<Client> clients(ByteBuffer bytes)
    {
        List<Client> clients = new ArrayList<>();
        while (bytes.hasRemaining())
        {
            boolean isDirect = bytes.get() != 0;
            clients.add(new Client(bytes.getLong(), bytes.getInt(), isDirect, address(bytes), address(bytes)));
        }
        return clients;
    }

    private static InetSocketAddress address(ByteBuffer bytes)
    {
        int port = bytes.getShort() & 0xffff;
        byte[] address = new byte[bytes.get()];
        bytes.get(address);
        try
        {
            return new InetSocketAddress(InetAddress.getByAddress(address), port);
        }
        catch (UnknownHostException e)
        {
            throw new IllegalStateException("an address of " + address.length + " bytes", e);
        }
    }

    /** A client that was accepted. */
    public static final class Client
    {
        /** As {@link Door#listen} returned it. */
        public final long listener;
        /** The far end of the pair of sockets; the client's own socket if {@link #isDirect}. */
        public final int descriptor;
        /** Whether the door has nothing to do with the client any more. */
        public final boolean isDirect;
        public final InetSocketAddress remote;
        public final InetSocketAddress local;

        Client(long listener, int descriptor, boolean isDirect, InetSocketAddress remote, InetSocketAddress local)
        {
            this.listener = listener;
            this.descriptor = descriptor;
            this.isDirect = isDirect;
            this.remote = remote;
            this.local = local;
        }
    }

    /** What a door has done. */
    public static final class Counters
    {
        public static final Counters NONE = new Counters(0, 0, 0, 0, 0, 0);

        public final long accepted;
        public final long direct;
        /** Connections through the door now. */
        public final long open;
        public final long toCassandraBytes;
        public final long toClientsBytes;
        /** Times that a client could not be accepted, such as for want of file descriptors. */
        public final long acceptFailures;

        Counters(long accepted, long direct, long open, long toCassandraBytes, long toClientsBytes, long acceptFailures)
        {
            this.accepted = accepted;
            this.direct = direct;
            this.open = open;
            this.toCassandraBytes = toCassandraBytes;
            this.toClientsBytes = toClientsBytes;
            this.acceptFailures = acceptFailures;
        }
    }
}
