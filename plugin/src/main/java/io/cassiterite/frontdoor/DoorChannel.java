/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor;

import java.net.InetSocketAddress;
import java.net.SocketAddress;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.epoll.AbstractEpollStreamChannel;
import io.netty.channel.epoll.EpollChannelConfig;

import io.cassiterite.engine.Door;
import io.cassiterite.engine.Door.Client;
import io.cassiterite.engine.Door.Secured;
import io.cassiterite.frontdoor.desk.ClientConnections;
import io.cassiterite.frontdoor.desk.ServedChannel;

/**
 * Cassandra's side of a client that came through the front door: a Unix socket that bears the client's addresses. It can
 * change to the client's own socket and back, of which Cassandra notices nothing.
 */
final class DoorChannel extends AbstractEpollStreamChannel implements ServedChannel
{
    private final InetSocketAddress remote;
    private final InetSocketAddress local;
    private final EpollChannelConfig config;
    private final Door door;
    private final ClientConnections connections;
    private final long connection;
    private final Secured secured;
    private final SocketReturn socketReturn;
    private final ClientHandover handover;
    private int negotiated = Door.FOR_GOOD;
    /** Used in the event loop, as what follows. */
    private boolean isAtDoor = true;
    private boolean isLeaving;
    private boolean isKindKnown;

    /**
     * @param client its descriptor becomes the channel's own
     */
    DoorChannel(Channel parent, Client client, ClientHandover handover)
    {
        super(parent, client.descriptor);
        this.remote = client.remote;
        this.local = client.local;
        this.config = new Config(this);
        this.handover = handover;
        this.door = handover.door();
        this.connections = handover.connections();
        this.connection = client.connection;
        this.secured = client.secured;
        this.socketReturn = new SocketReturn(this, handover::mayReturn);
    }

    /** @return on what the client and the door have agreed, who speak TLS; null if they do not */
    Secured secured()
    {
        return secured;
    }

    /**
     * The channel is to leave the door, when it is its turn.
     *
     * @return false if it is about to already, has left, or cannot: nobody else could go on with the door's TLS
     */
    boolean beginLeaving()
    {
        if (isLeaving || !isAtDoor || secured != null)
            return false;
        isLeaving = true;
        return true;
    }

    /** It has left, or does not leave now. */
    void endLeaving()
    {
        isLeaving = false;
    }

    /**
     * Puts the client's own socket in the place of the pair's end. Called in the event loop, where all reading and writing
     * is done, so that nothing moves meanwhile. The descriptor keeps its number; what waits to be written, and whether
     * reading is wanted, stay as they are. No handler hears of it, as one would of {@code deregister} and
     * {@code register}.
     *
     * @param isRepeated whether this is tried again soon if it is in vain
     * @return false if bytes are on their way, and the pair serves on
     */
    boolean takeClientSocket(boolean isRepeated) throws Exception
    {
        doDeregister();
        try
        {
            int answer = door.handOver(connection, fd().intValue(), isRepeated);
            if (answer == Door.KEPT)
                return false;
            negotiated = answer;
            isAtDoor = false;
            connections.left(connection);
            if (answer != Door.FOR_GOOD)
                socketReturn.left(kind());
            return true;
        }
        finally
        {
            doRegister(); // epoll tells at once what can be read or written
        }
    }

    /**
     * Gives the client's own socket to the door, and puts the end of a new pair in its place, as {@link #takeClientSocket}
     * does the other way round. Called in the event loop.
     *
     * @return false if a message is half read or half written, or the door cannot serve the client now; the client's socket
     *         serves on
     */
    boolean returnClientSocket() throws Exception
    {
        if (!isActive() || isInputShutdown() || !MessageBoundary.isReached(this))
            return false;
        doDeregister();
        try
        {
            // First: the door may ask for the client's login at once.
            connections.cameBack(connection);
            isAtDoor = door.takeBack(connection, fd().intValue(), negotiated);
            return isAtDoor;
        }
        finally
        {
            if (!isAtDoor)
                connections.left(connection);
            doRegister();
        }
    }

    /** Writes to the pair what is left: nothing clears the interest in writability but that. */
    @Override
    protected void doWrite(ChannelOutboundBuffer waiting) throws Exception
    {
        if (isAtDoor && handover.sendsStraight())
            StraightResponses.send(door, connection, waiting);
        super.doWrite(waiting);
        if (!isKindKnown)
            beOfKind();
    }

    /** A client of a kind that the door serves no better leaves with the response to its STARTUP. */
    private void beOfKind()
    {
        Kind kind = kind();
        isKindKnown = kind != null || secured != null || !handover.hasKinds();
        if (kind != null && kind.isForwarded())
            handover.giveUp(connection);
    }

    /** @return null where each connection has its own verdict, or none, and before the client's STARTUP */
    private Kind kind()
    {
        if (!handover.hasKinds() || secured != null)
            return null;
        return connections.startup(connection).map(options -> handover.kind(remote.getAddress(), options)).orElse(null);
    }

    @Override
    public void served(long requests)
    {
        socketReturn.answered();
    }

    @Override
    public EpollChannelConfig config()
    {
        return config;
    }

    @Override
    protected SocketAddress remoteAddress0()
    {
        return remote;
    }

    @Override
    protected SocketAddress localAddress0()
    {
        return local;
    }

    /** Netty's own has no public constructor. */
    private static final class Config extends EpollChannelConfig
    {
        Config(Channel channel)
        {
            super(channel);
        }
    }
}
