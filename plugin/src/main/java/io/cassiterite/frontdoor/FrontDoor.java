/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor;

import java.util.List;
import java.util.Map;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.service.NativeTransportService;

import io.cassiterite.engine.Door;
import io.cassiterite.engine.EngineException;
import io.cassiterite.frontdoor.desk.ClientConnections;
import io.cassiterite.frontdoor.desk.Desk;
import io.cassiterite.frontdoor.desk.Peers;
import io.cassiterite.frontdoor.desk.QuorumReads;
import io.cassiterite.frontdoor.desk.WriteMode;
import io.cassiterite.frontdoor.tls.TlsWatch;
import io.cassiterite.reflect.PrivateMember;

/**
 * The front door of this node: native threads that accept CQL clients in the place of Netty's. Safe to use from any
 * thread.
 */
public final class FrontDoor
{
    /** The parameter of the memtable configuration. */
    public static final String PARAMETER = "front_door";

    /** The parameter that says how Cassandra's responses reach the door's clients. */
    public static final String RESPONSES = "front_door_responses";

    /** The parameter that says of whom it is one verdict whether the door serves them better than Netty. */
    public static final String VERDICTS = "front_door_verdicts";

    /** The parameter that says what becomes of reads that need several replicas. */
    public static final String QUORUM_READS = "front_door_quorum_reads";

    /** The parameter that says who speaks TLS with clients. */
    public static final String TLS = "front_door_tls";

    /** The parameter that says who does what prepared statements write. */
    public static final String WRITES = "front_door_writes";

    private static final String PEER_PORT = "front_door_port";
    private static final String DEFAULT_PEER_PORT = "7010";

    public static final FrontDoor instance = new FrontDoor();

    private static final Logger logger = LoggerFactory.getLogger(FrontDoor.class);
    private static final String STRAIGHT = "straight";
    private static final String BY_KIND = "kind";
    private static final String ON = "on";
    private static final int MAX_LOOPS = 8;
    /** Times that Java could not do what the door had told it to, such as to take a client. */
    private static final String NOTICES_FAILED = "notices_failed";

    private TransportAccess transport;
    private volatile FrontDoorMode mode = FrontDoorMode.OFF;
    private volatile boolean sendsStraight;
    private volatile boolean hasKinds;
    private volatile QuorumReads quorumReads = QuorumReads.OFF;
    private volatile boolean hasTls;
    private volatile WriteMode writes = WriteMode.OFF;
    private volatile int peerPort;

    /** Guards what follows. Whoever binds a port holds its server's monitor and takes this one; never the other way. */
    private final Object opening = new Object();
    private Door door;
    private ClientHandover handover;
    private volatile Desk desk;
    private volatile Peers peers;
    private volatile TlsWatch tls;

    private FrontDoor()
    {
    }

    /**
     * Puts itself where Cassandra's native transport binds its port; done once. A node whose transport cannot be had runs
     * on with stock's.
     *
     * @param parameters of the memtable configuration, which the engine has accepted
     */
    public synchronized void start(Map<String, String> parameters)
    {
        if (transport != null)
            return;
        List<String> missing = PrivateMember.missing(PrivateMember.Use.FRONT_DOOR);
        if (!missing.isEmpty())
        {
            logger.error("The front door stays off: this version of Cassandra has no {}", String.join(", no ", missing));
            return;
        }
        changeResponses(parameters.getOrDefault(RESPONSES, ""));
        changeVerdicts(parameters.getOrDefault(VERDICTS, ""));
        peerPort = Integer.parseInt(parameters.getOrDefault(PEER_PORT, DEFAULT_PEER_PORT));
        hasTls = parameters.getOrDefault(TLS, "").equals(ON);
        writes = WriteMode.named(parameters.getOrDefault(WRITES, WriteMode.OFF.parameter()));
        quorumReads = QuorumReads.named(parameters.getOrDefault(QUORUM_READS, QuorumReads.OFF.parameter()));
        FrontDoorMode wanted = FrontDoorMode.named(parameters.getOrDefault(PARAMETER, FrontDoorMode.OFF.parameter()));
        try
        {
            if (!NativeTransportService.useEpoll())
                throw new IllegalStateException("Netty's epoll transport is not available");
            transport = TransportAccess.install(this);
            become(wanted);
        }
        catch (RuntimeException e)
        {
            logger.error("The front door stays off: Cassandra's native transport cannot be bound to it", e);
        }
    }

    /** Puts itself there again if the node has made another transport at the same moment as {@link #start}. */
    public synchronized void settle()
    {
        if (transport == null)
            return;
        try
        {
            transport.settle();
        }
        catch (RuntimeException e)
        {
            logger.error("The front door stays off: Cassandra's native transport cannot be bound to it", e);
        }
    }

    /**
     * Changes who accepts clients; connections that are open stay as they are.
     *
     * @throws IllegalStateException if the port cannot be bound in the new way; it is bound in the old way then, or the
     *                               message says that nobody can connect
     */
    public synchronized void change(FrontDoorMode wanted)
    {
        if (transport == null)
            throw new IllegalStateException("the front door is not available on this node; its log at start says why");
        if (wanted != mode)
            become(wanted);
    }

    /** @param responses {@code straight}: they go to the client without the pair, where they can. Has effect at once. */
    public void changeResponses(String responses)
    {
        sendsStraight = responses.equals(STRAIGHT);
    }

    /** @param verdicts {@code kind}: connections of a kind have one. Holds for what happens from now on. */
    public void changeVerdicts(String verdicts)
    {
        hasKinds = verdicts.equals(BY_KIND);
    }

    /**
     * Changes who speaks TLS with clients, from the next one on.
     *
     * @param wanted {@code on}: the door, where it can as Cassandra's own transport would
     * @throws IllegalStateException if a port cannot be bound
     */
    public synchronized void changeTls(String wanted)
    {
        hasTls = wanted.equals(ON);
        TlsWatch present = tls;
        if (present == null)
            return;
        present.change(hasTls);
        if (transport != null)
            transport.bindAnew();
    }

    /** @return true if the door speaks TLS with new clients */
    boolean speaksTls()
    {
        TlsWatch present = tls;
        return present != null && present.isSpoken();
    }

    /** @param wanted who writes; what the door may write no more it does not write when this returns */
    public synchronized void changeWrites(WriteMode wanted)
    {
        writes = wanted;
        Desk present = desk;
        if (present != null)
            present.writesChanged();
    }

    /** @param wanted what becomes of reads that need several replicas; OFF has its effect when this returns */
    public synchronized void changeQuorumReads(QuorumReads wanted)
    {
        quorumReads = wanted;
        setDesk();
    }

    /** @return what becomes of reads that need several replicas */
    public QuorumReads quorumReads()
    {
        return quorumReads;
    }

    /** Binds the port anew where the transport has started already. */
    private void become(FrontDoorMode wanted)
    {
        FrontDoorMode before = mode;
        mode = wanted;
        try
        {
            transport.bindAnew();
        }
        catch (RuntimeException e)
        {
            mode = before;
            transport.bindAnew();
            throw e;
        }
        setDesk();
        logger.info("The front door is {}", mode.description());
    }

    /** Connections stay at the door in each mode; what they are answered there depends on it. */
    private void setDesk()
    {
        Desk present = desk;
        Peers others = peers;
        if (present == null || others == null)
            return;
        if (mode == FrontDoorMode.READS)
            present.start();
        else
            present.stop();
        others.change(mode == FrontDoorMode.READS ? quorumReads : QuorumReads.OFF);
    }

    /** Ends all connections through the door; part of the shutdown, when the transport has stopped. */
    public void stop()
    {
        mode = FrontDoorMode.OFF;
        setDesk();
        synchronized (opening)
        {
            desk = null;
            peers = null;
            if (tls != null)
                tls.change(false);
            tls = null;
            handover = null;
            if (door != null)
                door.close();
            door = null;
        }
    }

    /**
     * Something has changed by which Cassandra would answer otherwise, or not at all. Whoever has changed it calls this
     * before telling anybody: when it returns, the door answers nothing that was true before only.
     */
    public void conditionsChanged()
    {
        Desk present = desk;
        if (present != null)
            present.conditionsChanged();
    }

    /**
     * The node is about to stop, and Cassandra still takes hints: the door answers nothing more, and leaves those that its writes
     * owe to other replicas.
     */
    public void stopAnswering()
    {
        try
        {
            conditionsChanged();
        }
        finally
        {
            Desk present = desk;
            if (present != null)
                present.missedWrites().hintAll();
        }
    }

    /** As {@link #conditionsChanged}, for one table. */
    public void tableChanged(TableId table)
    {
        Desk present = desk;
        if (present != null)
            present.tableChanged(table);
    }

    /** @return why the door answers nothing, or nothing of a table: lines as those of {@link #report} */
    public String gates()
    {
        Desk present = desk;
        TlsWatch watch = tls;
        return (present == null ? Desk.noGates() : present.gates()) + (watch == null ? "" : watch.report());
    }

    /** @return the prepared statements that the door knows: lines as those of {@link #report} */
    public String recipes()
    {
        Desk present = desk;
        return present == null ? Desk.noRecipes() : present.recipes();
    }

    /** @return what the door has done, as lines of tab-separated values, the first line names the columns */
    public String report()
    {
        StringBuilder lines = new StringBuilder("name\tcount\n");
        counters().forEach((name, count) -> lines.append(name).append('\t').append(count).append('\n'));
        return lines.toString();
    }

    private Map<String, Long> counters()
    {
        synchronized (opening)
        {
            Map<String, Long> counters = door == null ? Door.noCounters() : door.counters();
            counters.put(NOTICES_FAILED, handover == null ? 0 : handover.failures());
            return counters;
        }
    }

    /** @return what binds the port; null while that is Netty's part, also where the door does not open */
    ClientHandover handover()
    {
        if (mode == FrontDoorMode.OFF)
            return null;
        synchronized (opening)
        {
            if (door == null)
                open();
            return handover;
        }
    }

    private void open()
    {
        try
        {
            door = Door.open(Math.max(1, Math.min(MAX_LOOPS, Runtime.getRuntime().availableProcessors() / 2)));
            ClientConnections connections = new ClientConnections();
            desk = new Desk(door, connections, () -> quorumReads != QuorumReads.OFF, () -> writes);
            peers = new Peers(door, peerPort);
            tls = new TlsWatch(door);
            tls.change(hasTls);
            handover = new ClientHandover(door, connections, desk, () -> mode == FrontDoorMode.PROXY, () -> sendsStraight,
                                          () -> hasKinds);
            handover.start();
            setDesk();
            if (door.counters().get(Door.LOOPS_PRIORITIZED) == 0)
                logger.info("The front door's threads have no priority over the JVM's: this node may not give them niceness -10"
                            + " (LimitNICE of systemd, nice in limits.conf, or the capability SYS_NICE)");
        }
        catch (EngineException e)
        {
            logger.error("The front door does not open; Netty accepts clients", e);
        }
    }
}
