/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.auth.AllowAllInternodeAuthenticator;
import org.apache.cassandra.auth.IInternodeAuthenticator;
import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.service.StorageService;
import org.apache.cassandra.utils.FBUtilities;

import io.cassiterite.engine.Door;
import io.cassiterite.engine.EngineException;
import io.cassiterite.engine.PeerPort;

/**
 * The doors of other nodes: a thread publishes this one by gossip, and tells it ten times a second who the others are, if that
 * has changed. Thread-safe.
 */
public final class Peers
{
    private static final Logger logger = LoggerFactory.getLogger(Peers.class);

    private static final long ROUND_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Door door;
    private final int port;
    private QuorumReads mode = QuorumReads.OFF;
    private DeskThread thread;
    private PeerPort listening;
    private PeerState own;
    /** What the door was told last. */
    private byte[] told = {};

    /** @param port where the doors of other nodes connect */
    public Peers(Door door, int port)
    {
        this.door = door;
        this.port = port;
    }

    /** Changes what becomes of reads that need several replicas; they are Cassandra's when this returns, if that is OFF. */
    public void change(QuorumReads wanted)
    {
        DeskThread ended = become(wanted);
        // without the monitor, which its step takes
        if (ended != null)
            ended.stop();
    }

    /** @return the thread that is of no use any more, if there is one */
    private synchronized DeskThread become(QuorumReads wanted)
    {
        if (wanted == mode || wanted != QuorumReads.OFF && listening == null && !listen())
            return null;
        mode = wanted;
        told = new byte[0];
        logger.info("Quorum reads of the front door are {}", mode.parameter());
        if (wanted == QuorumReads.OFF)
            return end();
        if (thread == null)
            begin();
        return null;
    }

    /** @return false if there is no port for other doors; the log says why */
    private boolean listen()
    {
        IInternodeAuthenticator authenticator = DatabaseDescriptor.getInternodeAuthenticator();
        if (!(authenticator instanceof AllowAllInternodeAuthenticator))
        {
            logger.error("Quorum reads of the front door stay off: {} decides which nodes may connect, which the door does not ask."
                         + " Set front_door_quorum_reads to off, or internode_authenticator to AllowAllInternodeAuthenticator",
                         authenticator.getClass().getName());
            return false;
        }
        InetAddress address = FBUtilities.getJustLocalAddress();
        try
        {
            listening = door.listenForPeers(address, port);
            own = new PeerState(port, listening.fingerprint, address);
            return true;
        }
        catch (EngineException e)
        {
            logger.error("Quorum reads of the front door stay off: it cannot listen for those of other nodes at {}, port {}. Set"
                         + " front_door_port to a free one", address, port, e);
            return false;
        }
    }

    private void begin()
    {
        thread = new DeskThread("cassiterite-desk-peers", "Telling the front door of those of other nodes", this::round);
        thread.start();
    }

    private DeskThread end()
    {
        DeskThread ended = thread;
        thread = null;
        door.setPeers(QuorumReads.OFF.ordinal(), PeerMember.encode(new UUID(0, 0), List.of()));
        if (listening != null)
            door.stopListening(listening.listener);
        listening = null;
        PeerGossip.publish(PeerState.NONE);
        return ended;
    }

    private void round()
    {
        tell();
        LockSupport.parkNanos(this, ROUND_NANOS);
    }

    private synchronized void tell()
    {
        if (mode == QuorumReads.OFF || !PeerGossip.publish(own.toString()))
            return;
        byte[] members = PeerMember.encode(StorageService.instance.getLocalHostUUID(), PeerGossip.members());
        if (Arrays.equals(members, told))
            return;
        door.setPeers(mode.ordinal(), members);
        told = members;
    }
}
