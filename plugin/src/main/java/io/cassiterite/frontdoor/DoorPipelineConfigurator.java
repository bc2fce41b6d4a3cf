/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor;

import java.net.InetSocketAddress;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.config.EncryptionOptions.TlsEncryptionPolicy;
import org.apache.cassandra.transport.CBUtil;
import org.apache.cassandra.transport.Connection;
import org.apache.cassandra.transport.Dispatcher;
import org.apache.cassandra.transport.PipelineConfigurator;

import io.cassiterite.engine.Door;
import io.cassiterite.engine.Door.Secured;
import io.cassiterite.frontdoor.tls.DoorSslHandler;

/**
 * Binds a server of Cassandra's native transport to the front door, or to Netty as stock does while the door is off.
 * Everything else of a connection's pipeline is Cassandra's.
 */
final class DoorPipelineConfigurator extends PipelineConfigurator
{
    private static final Logger logger = LoggerFactory.getLogger(DoorPipelineConfigurator.class);

    /** As stock has it. */
    private static final WriteBufferWaterMark WATER_MARK = new WriteBufferWaterMark(8 * 1024, 32 * 1024);

    private final FrontDoor frontDoor;
    private final TlsEncryptionPolicy policy;
    private volatile boolean isBoundByDoor;

    DoorPipelineConfigurator(FrontDoor frontDoor, TlsEncryptionPolicy policy, Dispatcher dispatcher)
    {
        super(true, DatabaseDescriptor.getRpcKeepAlive(), policy, dispatcher);
        this.frontDoor = frontDoor;
        this.policy = policy;
    }

    @Override
    public ChannelFuture initializeChannel(EventLoopGroup workers, InetSocketAddress socket, Connection.Factory connections)
    {
        isBoundByDoor = wantsDoor();
        ClientHandover handover = frontDoor.handover();
        if (!isBoundByDoor || handover == null)
            return super.initializeChannel(workers, socket, connections);

        int tls = tls();
        ServerBootstrap bootstrap = new ServerBootstrap()
                                    .channelFactory(() -> new DoorServerChannel(handover, DatabaseDescriptor.getRpcKeepAlive(), tls))
                                    .childOption(ChannelOption.ALLOCATOR, CBUtil.allocator)
                                    .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK)
                                    .childHandler(clientInitializer(connections));
        if (workers != null)
            bootstrap.group(workers);
        logger.info("Starting listening for CQL clients on {} ({}) through the front door...", socket, policy.description());
        return bootstrap.bind(socket);
    }

    /** Whether the port is to be bound anew, because another one binds it from now on. */
    boolean isToBeBoundAnew()
    {
        return isBoundByDoor != wantsDoor();
    }

    /** A port of TLS alone is of use to the door only while it speaks that. */
    private boolean wantsDoor()
    {
        return frontDoor.handover() != null && (policy != TlsEncryptionPolicy.ENCRYPTED || frontDoor.speaksTls());
    }

    private int tls()
    {
        switch (policy)
        {
            case UNENCRYPTED:
                return Door.TLS_NEVER;
            case OPTIONAL:
                return Door.TLS_OPTIONAL;
            default:
                return Door.TLS_ALWAYS;
        }
    }

    /** A client with its own socket is stock's, which also sees to its TLS. */
    private ChannelInitializer<Channel> clientInitializer(Connection.Factory connections)
    {
        ChannelInitializer<Channel> stock = initializer(connections);
        return new ChannelInitializer<>()
        {
            @Override
            protected void initChannel(Channel channel)
            {
                if (!(channel instanceof DoorChannel))
                {
                    channel.pipeline().addLast(stock);
                    return;
                }
                configureInitialPipeline(channel, connections);
                Secured secured = ((DoorChannel) channel).secured();
                if (secured != null)
                    channel.pipeline().addFirst(DoorSslHandler.NAME, new DoorSslHandler(secured));
            }
        };
    }
}
