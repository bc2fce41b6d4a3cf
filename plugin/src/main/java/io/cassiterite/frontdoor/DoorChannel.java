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

/** Cassandra's side of a client that came through the front door: a Unix socket that bears the client's addresses. */
final class DoorChannel extends AbstractEpollStreamChannel
{
    private final InetSocketAddress remote;
    private final InetSocketAddress local;
    private final EpollChannelConfig config;

    /** @param descriptor becomes the channel's own */
    DoorChannel(Channel parent, int descriptor, InetSocketAddress remote, InetSocketAddress local)
    {
        super(parent, descriptor);
        this.remote = remote;
        this.local = local;
        this.config = new Config(this);
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
