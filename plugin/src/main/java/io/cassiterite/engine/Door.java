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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Native threads that accept CQL clients and pass on what they send. Every method may be called from any thread. */
public final class Door
{
    /** Times that a client could not be accepted, such as for want of file descriptors. */
    public static final String ACCEPT_FAILURES = "accept_failures";

    /** As {@link Native#doorCounters} fills them. */
    private static final List<String> COUNTERS =
        List.of("clients_accepted", "clients_handed_over", "connections_open", "bytes_to_cassandra", "bytes_to_clients",
                ACCEPT_FAILURES, "clients_opaque", "requests_startup", "requests_options", "requests_query",
                "requests_prepare", "requests_execute", "requests_register", "requests_batch", "requests_auth_response");

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
    public List<Client> take(int timeoutMillis)
    {
        byte[] taken;
        try
        {
            taken = Native.doorTake(handle, timeoutMillis);
        }
        catch (EngineException e)
        {
            if (e.kind() == EngineException.Kind.CLOSED)
                return null;
            throw e;
        }
        return taken == null ? null : clients(ByteBuffer.wrap(taken));
    }

    /** @return by name, what the door has done since it opened; {@code connections_open} is of now */
    public Map<String, Long> counters()
    {
        long[] values = new long[COUNTERS.size()];
        Native.doorCounters(handle, values);
        return named(values);
    }

    /** @return the counters of a door that has done nothing */
    public static Map<String, Long> noCounters()
    {
        return named(new long[COUNTERS.size()]);
    }

    private static Map<String, Long> named(long[] values)
    {
        Map<String, Long> counters = new LinkedHashMap<>();
        for (int i = 0; i < values.length; i++)
            counters.put(COUNTERS.get(i), values[i]);
        return counters;
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
}
