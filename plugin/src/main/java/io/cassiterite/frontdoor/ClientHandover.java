/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import io.netty.channel.Channel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.utils.NoSpamLogger;

import io.cassiterite.engine.BackgroundWork;
import io.cassiterite.engine.Door;
import io.cassiterite.engine.Door.Client;
import io.cassiterite.engine.Door.CopiesEnded;
import io.cassiterite.engine.Door.Forwarded;
import io.cassiterite.engine.Door.Missed;
import io.cassiterite.engine.Door.Notice;
import io.cassiterite.engine.Door.Wanted;
import io.cassiterite.engine.Door.WantedTable;
import io.cassiterite.frontdoor.desk.ClientConnections;
import io.cassiterite.frontdoor.desk.Desk;

/**
 * Takes clients from the door and gives them to the server channel that they came to. One thread of its own waits in the
 * door, where no safepoint waits for it. Safe to use from any thread.
 */
final class ClientHandover
{
    private static final Logger logger = LoggerFactory.getLogger(ClientHandover.class);
    private static final NoSpamLogger NO_SPAM = NoSpamLogger.getLogger(logger, 1, TimeUnit.MINUTES);
    private static final NoSpamLogger HOURLY = NoSpamLogger.getLogger(logger, 1, TimeUnit.HOURS);

    private static final int TIMEOUT_MILLIS = 1_000;
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long REPORT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Door door;
    private final ClientConnections connections;
    private final Desk desk;
    private final BooleanSupplier keepsAll;
    private final BooleanSupplier sendsStraight;
    private final BooleanSupplier hasKinds;
    private final Kinds kinds = new Kinds();
    private final Map<Long, DoorServerChannel> channels = new HashMap<>();
    private final Growth passedBy = new Growth(ClientHandover::warnOfPassedBy);
    private long acceptFailures;
    private long threadsFailed;
    private long reportedNanos = System.nanoTime() - REPORT_NANOS;
    private final AtomicLong failures = new AtomicLong();

    /**
     * @param desk     null if there is none
     * @param keepsAll whether clients stay at the door of which it answers nothing
     * @param sendsStraight whether responses go to clients without the pair, where they can
     * @param hasKinds whether connections of a kind have one verdict; each has its own otherwise
     */
    ClientHandover(Door door, ClientConnections connections, Desk desk, BooleanSupplier keepsAll, BooleanSupplier sendsStraight,
                   BooleanSupplier hasKinds)
    {
        this.door = door;
        this.connections = connections;
        this.desk = desk;
        this.keepsAll = keepsAll;
        this.sendsStraight = sendsStraight;
        this.hasKinds = hasKinds;
    }

    Door door()
    {
        return door;
    }

    ClientConnections connections()
    {
        return connections;
    }

    /** Starts the thread, which ends with the door. */
    void start()
    {
        Thread thread = new Thread(this::run, "cassiterite-door-clients");
        thread.setDaemon(true);
        thread.start();
    }

    /** Makes the door listen for a channel. Under the lock, so that no client comes before its channel is known. */
    synchronized long listen(DoorServerChannel channel, InetSocketAddress address, int backlog, boolean keepAlive, int tls)
    {
        long listener = door.listen(address, backlog, keepAlive, tls);
        channels.put(listener, channel);
        return listener;
    }

    synchronized void stopListening(long listener)
    {
        channels.remove(listener);
        door.stopListening(listener);
    }

    private synchronized DoorServerChannel channel(long listener)
    {
        return channels.get(listener);
    }

    /** Without this thread nobody could connect any more: whatever fails, it goes on. */
    private void run()
    {
        List<Notice> notices;
        while ((notices = take()) != null)
        {
            notices.forEach(notice -> attempt("Seeing to a notice of the front door", () -> see(notice)));
            attempt("Looking for failures of the front door", this::reportFailures);
        }
    }

    private List<Notice> take()
    {
        try
        {
            return door.take(TIMEOUT_MILLIS);
        }
        catch (RuntimeException | Error e)
        {
            failed("The front door's notices could not be taken; it tries again", e);
            LockSupport.parkNanos(this, RETRY_NANOS);
            return List.of();
        }
    }

    private void attempt(String what, Runnable step)
    {
        if (!BackgroundWork.attempt(what, step))
            failures.incrementAndGet();
    }

    private void failed(String message, Throwable failure)
    {
        failures.incrementAndGet();
        BackgroundWork.failed(message, failure);
    }

    private void see(Notice notice)
    {
        if (notice instanceof Client)
            handOver((Client) notice);
        else if (notice instanceof Forwarded)
            giveUp(notice.connection);
        else if (desk != null && notice instanceof WantedTable)
            desk.wantedTable((WantedTable) notice);
        else if (desk != null && notice instanceof Missed)
            desk.missedWrites().add((Missed) notice);
        else if (desk != null && notice instanceof CopiesEnded)
            desk.missedWrites().ended();
        else if (desk != null)
            desk.wanted((Wanted) notice);
    }

    private void handOver(Client client)
    {
        try
        {
            DoorServerChannel channel = channel(client.listener);
            if (channel == null)
                Door.closeDescriptor(client.descriptor); // the transport has stopped since
            else
                channel.accept(client);
        }
        catch (RejectedExecutionException e)
        {
            Door.closeDescriptor(client.descriptor); // the transport's event loops have ended
        }
        catch (RuntimeException | Error e)
        {
            lost(client, e);
        }
    }

    /** Nobody has this client, which else would wait for ever. */
    void lost(Client client, Throwable failure)
    {
        Door.closeDescriptor(client.descriptor);
        failed("A client's connection is closed: the front door could not hand it over", failure);
    }

    /** @return how often a client, or what else the door had to tell, was not seen to; the log says why */
    long failures()
    {
        return failures.get();
    }

    /** The door serves a connection no better than Netty would. */
    void giveUp(long connection)
    {
        Channel channel = connections.channel(connection);
        if (channel != null && !keepsAll.getAsBoolean())
            new SocketHandover(connection, (DoorChannel) channel).start();
    }

    /** Whether a client that left the door may have native answers now. */
    boolean mayReturn()
    {
        return desk != null && desk.answers();
    }

    boolean sendsStraight()
    {
        return sendsStraight.getAsBoolean();
    }

    boolean hasKinds()
    {
        return hasKinds.getAsBoolean();
    }

    Kind kind(InetAddress address, Map<String, String> startup)
    {
        return kinds.of(address, startup);
    }

    /** Once a second: clients that come at once would all pay for it. */
    private void reportFailures()
    {
        long now = System.nanoTime();
        if (now - reportedNanos < REPORT_NANOS)
            return;
        reportedNanos = now;
        Map<String, Long> counters = door.counters();
        long failures = counters.get(Door.ACCEPT_FAILURES);
        if (failures > acceptFailures)
            NO_SPAM.error("The front door could not accept {} client(s); are there file descriptors left? Each client takes three",
                          failures - acceptFailures);
        acceptFailures = failures;
        passedBy.see(counters.get(Door.PASSED_BY));
        long ended = counters.get(Door.THREADS_FAILED);
        if (ended > threadsFailed)
            logger.error("{} thread(s) of the front door have ended, and their clients' connections with them; the node's console says " +
                         "why. Restart the node soon", ended - threadsFailed);
        threadsFailed = ended;
    }

    /** @return false if it was too soon after the last time */
    private static boolean warnOfPassedBy(long clients)
    {
        return HOURLY.warn("Netty serves {} client(s) with their own socket, since so many are connected through the front door; it " +
                           "would take a higher limit of file descriptors to have them all there", clients);
    }
}
