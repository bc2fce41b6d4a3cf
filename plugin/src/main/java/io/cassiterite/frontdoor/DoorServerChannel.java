/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor;

import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

import io.netty.channel.AbstractServerChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.util.NetUtil;

import io.cassiterite.engine.Door;
import io.cassiterite.engine.Door.Client;
import io.cassiterite.engine.EngineException;

/**
 * A listening socket that belongs to the front door. Cassandra's server binds and closes it like Netty's own, on one of
 * its event loops.
 */
final class DoorServerChannel extends AbstractServerChannel
{
    private final ClientHandover handover;
    private final boolean keepAlive;
    private final int tls;
    private final ChannelConfig config = new DefaultChannelConfig(this);

    private volatile InetSocketAddress bound;
    private volatile boolean isClosed;
    private long listener;

    /** @param tls which clients speak TLS, as {@link Door#listen} takes it */
    DoorServerChannel(ClientHandover handover, boolean keepAlive, int tls)
    {
        this.handover = handover;
        this.keepAlive = keepAlive;
        this.tls = tls;
    }

    @Override
    protected void doBind(SocketAddress address) throws Exception
    {
        InetSocketAddress wanted = (InetSocketAddress) address;
        try
        {
            listener = handover.listen(this, wanted, NetUtil.SOMAXCONN, keepAlive, tls);
        }
        catch (EngineException e)
        {
            throw (BindException) new BindException(e.getMessage()).initCause(e);
        }
        bound = wanted;
    }

    /** Gives a client to Cassandra. Called by the thread that takes clients from the door. */
    void accept(Client client)
    {
        eventLoop().execute(() -> {
            if (isClosed)
            {
                // It may have no handlers any more: nobody would have the client.
                Door.closeDescriptor(client.descriptor);
                return;
            }
            Channel channel = channelOf(client);
            if (channel == null)
                return;
            pipeline().fireChannelRead(channel);
            pipeline().fireChannelReadComplete();
        });
    }

    /** @return null if there can be none; the client is closed then */
    private Channel channelOf(Client client)
    {
        Channel channel;
        try
        {
            channel = client.isDirect ? new EpollSocketChannel(client.descriptor)
                                      : new DoorChannel(this, client, handover);
        }
        catch (RuntimeException | Error e)
        {
            handover.lost(client, e);
            return null;
        }
        if (!client.isDirect)
            handover.connections().add(client.connection, channel);
        return channel;
    }

    @Override
    protected void doClose()
    {
        isClosed = true;
        if (bound != null)
            handover.stopListening(listener);
        bound = null;
    }

    /** Clients come by {@link #accept}. */
    @Override
    protected void doBeginRead()
    {
    }

    @Override
    protected boolean isCompatible(EventLoop loop)
    {
        return true;
    }

    @Override
    protected SocketAddress localAddress0()
    {
        return bound;
    }

    @Override
    public ChannelConfig config()
    {
        return config;
    }

    @Override
    public boolean isOpen()
    {
        return !isClosed;
    }

    @Override
    public boolean isActive()
    {
        return bound != null;
    }
}
