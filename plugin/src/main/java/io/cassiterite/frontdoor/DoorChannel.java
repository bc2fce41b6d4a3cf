/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor;

import java.net.InetSocketAddress;
import java.net.SocketAddress;

import io.netty.channel.Channel;
import io.netty.channel.epoll.AbstractEpollStreamChannel;
import io.netty.channel.epoll.EpollChannelConfig;

import io.cassiterite.engine.Door;
import io.cassiterite.engine.Door.Client;

/**
 * Cassandra's side of a client that came through the front door: a Unix socket that bears the client's addresses. It can
 * change to the client's own socket, of which Cassandra notices nothing.
 */
final class DoorChannel extends AbstractEpollStreamChannel
{
    private final InetSocketAddress remote;
    private final InetSocketAddress local;
    private final EpollChannelConfig config;
    private final Door door;
    private final long connection;

    /** @param client its descriptor becomes the channel's own */
    DoorChannel(Channel parent, Client client, Door door)
    {
        super(parent, client.descriptor);
        this.remote = client.remote;
        this.local = client.local;
        this.config = new Config(this);
        this.door = door;
        this.connection = client.connection;
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
            return door.handOver(connection, fd().intValue(), isRepeated);
        }
        finally
        {
            doRegister(); // epoll tells at once what can be read or written
        }
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
