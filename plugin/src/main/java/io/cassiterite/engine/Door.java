/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.engine;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Native threads that accept CQL clients and pass on what they send. Every method may be called from any thread. */
public final class Door
{
    /** Times that a client could not be accepted, such as for want of file descriptors. */
    public static final String ACCEPT_FAILURES = "accept_failures";

    /** Clients that got their own socket, since too many were connected through the door. */
    public static final String PASSED_BY = "clients_passed_by";

    /** Threads that have ended of themselves, with their clients' connections. */
    public static final String THREADS_FAILED = "threads_failed";

    /** Loops with priority over the JVM's threads: all or, where the node may not give that, none. */
    public static final String LOOPS_PRIORITIZED = "loops_prioritized";

    /** Answer of {@link #handOver}: bytes are on their way in the door, or were not read yet; the pair serves on. */
    public static final int KEPT = -1;

    /** Answer of {@link #handOver}: the door does not understand this client, and cannot serve it again. */
    public static final int FOR_GOOD = 0;

    /** As {@link #listen} takes it: no client speaks TLS. */
    public static final int TLS_NEVER = 0;

    /** The same: the first byte of a client tells. */
    public static final int TLS_OPTIONAL = 1;

    /** The same: all have to. */
    public static final int TLS_ALWAYS = 2;

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
     * @param tls which of its clients speak TLS: {@link #TLS_NEVER}, {@link #TLS_OPTIONAL} or {@link #TLS_ALWAYS}. Those with
     *            whom the door does not speak it are handed over with their own socket
     * @return the number that {@link Client#listener} has
     * @throws EngineException of kind IO if the address cannot be bound
     */
    public long listen(InetSocketAddress address, int backlog, boolean keepAlive, int tls)
    {
        return Native.doorListen(handle, address.getAddress().getAddress(), address.getPort(), backlog, keepAlive, tls);
    }

    /**
     * Says with what the door meets clients that speak TLS, from the next one on.
     *
     * @param terms as docs/internals/boundary.md describes them; null: all of them are handed over with their own socket
     * @throws EngineException if the library lacks something of them; nothing has changed then
     */
    public void setTls(byte[] terms)
    {
        Native.doorTls(handle, terms);
    }

    /** The port is free when it returns; the clients stay. */
    public void stopListening(long listener)
    {
        Native.doorStopListening(handle, listener);
    }

    /**
     * Waits for clients, whose descriptors then belong to the caller, and for what else the door has to tell.
     *
     * @return none after the time is over; null once the door is closed
     */
    public List<Notice> take(int timeoutMillis)
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
        return taken == null ? null : DoorNotices.read(ByteBuffer.wrap(taken));
    }

    /**
     * Puts a client's own socket in the place of the pair's end: the descriptor names it from then on, and the door has
     * nothing to do with the client any more. Takes some milliseconds at most.
     *
     * @param descriptor the end of the pair, which nobody uses during the call, and no epoll watches
     * @param isRepeated whether the caller tries again soon if this is in vain; the door reads nothing more of the client
     *                   until then
     * @return {@link #KEPT}, {@link #FOR_GOOD}, or what {@link #takeBack} wants
     * @throws EngineException the descriptor is of no use any more
     */
    public int handOver(long connection, int descriptor, boolean isRepeated)
    {
        return Native.doorHandOver(handle, connection, descriptor, isRepeated);
    }

    /**
     * Puts the end of a pair in the place of the client's own socket: the descriptor names it from then on, and the door
     * serves the client again.
     *
     * @param descriptor the client's socket, which nobody uses during the call, and no epoll watches; what was read of it and
     *                   written to it ends with whole frames, or with whole envelopes where there are no frames
     * @param negotiated as {@link #handOver} answered
     * @return false if the client has ended, or the door cannot serve it now: the descriptor is what it was
     * @throws EngineException of kind CLOSED if the door is closed, and nothing has changed; otherwise the descriptor is of no
     *                         use any more
     */
    public boolean takeBack(long connection, int descriptor, int negotiated)
    {
        return Native.doorTakeBack(handle, connection, descriptor, negotiated);
    }

    /**
     * Sends what Cassandra has for a client on the calling thread, if all that came before it has gone. Nobody writes to the
     * pair's end meanwhile.
     *
     * @param parts the address of {@code count} pairs of address and length, as writev takes them
     * @return the number of bytes that the caller is rid of; the rest is to go by the pair, as all bytes may
     */
    public long sendStraight(long connection, long parts, int count)
    {
        return Native.doorSendStraight(handle, connection, parts, count);
    }

    /** @return by name, what the door has done since it opened; {@code connections_open} is of now */
    public Map<String, Long> counters()
    {
        return named(Native.doorReport(handle));
    }

    /** @return the counters of a door that has done nothing */
    public static Map<String, Long> noCounters()
    {
        return named(Native.doorReport(0));
    }

    private static Map<String, Long> named(String report)
    {
        Map<String, Long> counters = new LinkedHashMap<>();
        report.lines().map(line -> line.split("\t")).forEach(line -> counters.put(line[0], Long.valueOf(line[1])));
        return counters;
    }

    // --- what may be answered natively; what ends a right has its effect when it returns

    /** Lets the door answer from now on, for so long. */
    public void renew(int millis)
    {
        Native.doorRenew(handle, millis);
    }

    /** Ends the lease. */
    public void shut()
    {
        Native.doorShut(handle);
    }

    /** Lets recipes of a table be answered from this generation only. @param spec as docs/internals/boundary.md describes it */
    public void openTable(Table table, byte[] spec)
    {
        Native.doorOpenTable(handle, table.handle(), spec);
    }

    public void closeTable(byte[] tableId)
    {
        Native.doorCloseTable(handle, tableId);
    }

    /** Takes the recipe of a statement in place of its former one. Its answers are compared with Cassandra's first. */
    public void putRecipe(byte[] recipe)
    {
        Native.doorPutPlan(handle, recipe);
    }

    /** Forwards a statement, and asks for it when it is executed again. */
    public void dropRecipe(byte[] statementId)
    {
        Native.doorDropPlan(handle, statementId);
    }

    /** Forwards a statement, and does not ask for it before {@link #forgetRefused}. */
    public void refuseRecipe(byte[] statementId)
    {
        Native.doorRefusePlan(handle, statementId);
    }

    public void forgetRefused()
    {
        Native.doorForgetRefused(handle);
    }

    /** Says that a connection is logged in, as {@code login}. */
    public void admit(long connection, int login)
    {
        Native.doorAdmit(handle, connection, login);
    }

    /**
     * Replaces all pairs of login and statement that may be answered.
     *
     * @param statementIds 16 bytes for each login
     */
    public void grants(int[] logins, byte[] statementIds)
    {
        Native.doorGrants(handle, logins, statementIds);
    }

    /** What may be written natively. */
    public DoorWrites writes()
    {
        return new DoorWrites(handle);
    }

    // --- doors of other nodes

    /** Listens for doors of other nodes, and connects to them from that address. @throws EngineException of kind IO if it cannot */
    public PeerPort listenForPeers(InetAddress address, int port)
    {
        return new PeerPort(ByteBuffer.wrap(Native.doorListenForPeers(handle, address.getAddress(), port)));
    }

    /**
     * Says who the other nodes are, and what becomes of reads that need them.
     *
     * @param mode    0 off, 1 compare, 2 on
     * @param members as docs/internals/boundary.md describes them
     */
    public void setPeers(int mode, byte[] members)
    {
        Native.doorPeers(handle, mode, members);
    }

    /** @return what was answered since the last call, as docs/internals/boundary.md describes it */
    public byte[] served()
    {
        return Native.doorServed(handle);
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

    /** Something that the owner of the door sees to. */
    public abstract static class Notice
    {
        /** The number of the connection, which no other one of the door has had. */
        public final long connection;

        Notice(long connection)
        {
            this.connection = connection;
        }
    }

    /** A connection executes a statement that the door could answer, if it were told so. */
    public static final class Wanted extends Notice
    {
        public final byte[] statementId;

        Wanted(long connection, byte[] statementId)
        {
            super(connection);
            this.statementId = statementId;
        }
    }

    /** Another node would read a table that is not open here, or write to it. No connection of a client has to do with it. */
    public static final class WantedTable extends Notice
    {
        public final byte[] tableId;
        public final boolean writes;

        WantedTable(long connection, byte[] tableId, boolean writes)
        {
            super(connection);
            this.tableId = tableId;
            this.writes = writes;
        }
    }

    /** A write was acknowledged that replicas may lack. It is told once. */
    public static final class Missed extends Notice
    {
        public final byte[] tableId;
        /** Of the protocol. */
        public final int version;
        /** When it was written, in milliseconds since the epoch. */
        public final long beganMillis;
        /** Of the replicas that may lack it. */
        public final List<UUID> hosts;
        /** Of the EXECUTE. */
        public final byte[] body;

        Missed(long connection, byte[] tableId, int version, long beganMillis, List<UUID> hosts, byte[] body)
        {
            super(connection);
            this.tableId = tableId;
            this.version = version;
            this.beganMillis = beganMillis;
            this.hosts = hosts;
            this.body = body;
        }
    }

    /** All that was missed before {@link DoorWrites#endCopies} has been told. */
    public static final class CopiesEnded extends Notice
    {
        CopiesEnded(long connection)
        {
            super(connection);
        }
    }

    /** Nearly all that a connection asks is passed on: it would be served as well without the door, at less expense. */
    public static final class Forwarded extends Notice
    {
        Forwarded(long connection)
        {
            super(connection);
        }
    }

    /** On what the door and a client have agreed, who speak TLS; by the names of javax.net.ssl. Immutable. */
    public static final class Secured
    {
        public final String protocol;
        public final String suite;

        public Secured(String protocol, String suite)
        {
            this.protocol = protocol;
            this.suite = suite;
        }
    }

    /** A client that was accepted. */
    public static final class Client extends Notice
    {
        /** As {@link Door#listen} returned it. */
        public final long listener;
        /** The far end of the pair of sockets; the client's own socket if {@link #isDirect}. */
        public final int descriptor;
        /** Whether the door has nothing to do with the client any more. */
        public final boolean isDirect;
        /** Null if the client does not speak TLS with the door. */
        public final Secured secured;
        public final InetSocketAddress remote;
        public final InetSocketAddress local;

        Client(long connection, long listener, int descriptor, boolean isDirect, Secured secured, InetSocketAddress remote,
               InetSocketAddress local)
        {
            super(connection);
            this.listener = listener;
            this.descriptor = descriptor;
            this.isDirect = isDirect;
            this.secured = secured;
            this.remote = remote;
            this.local = local;
        }
    }
}
