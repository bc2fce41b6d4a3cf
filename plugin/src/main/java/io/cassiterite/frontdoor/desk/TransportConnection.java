/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Optional;

import io.netty.channel.Channel;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.util.AttributeKey;

import org.apache.cassandra.service.ClientState;
import org.apache.cassandra.transport.Connection;
import org.apache.cassandra.transport.ConnectionStage;
import org.apache.cassandra.transport.ProtocolVersion;
import org.apache.cassandra.transport.ServerConnection;

import io.cassiterite.reflect.PrivateMember;

/**
 * A connection as Cassandra's native transport has it. Whether its login is complete only members say that are not
 * public. Two of the same channel are equal.
 */
final class TransportConnection implements ClientConnection
{
    private static final AttributeKey<Connection> CONNECTION = attributeKey();

    private final Channel channel;

    TransportConnection(Channel channel)
    {
        this.channel = channel;
    }

    @Override
    public boolean isOpen()
    {
        return channel.isOpen();
    }

    @Override
    public boolean isLoggedIn()
    {
        ServerConnection connection = connection();
        return connection != null && isReady(connection) && connection.getClientState().getUser() != null;
    }

    private static boolean isReady(ServerConnection connection)
    {
        return PrivateMember.CONNECTION_STAGE.invoke(connection) == ConnectionStage.READY;
    }

    /** Null before the connection's first message. */
    private ServerConnection connection()
    {
        return (ServerConnection) channel.attr(CONNECTION).get();
    }

    @Override
    public String role()
    {
        return state().getUser().getName();
    }

    @Override
    public InetAddress address()
    {
        return ((InetSocketAddress) channel.remoteAddress()).getAddress();
    }

    @Override
    public boolean hasOlderProtocol()
    {
        return connection().getVersion().isSmallerThan(ProtocolVersion.CURRENT);
    }

    @Override
    public String keyspace()
    {
        return state().getRawKeyspace();
    }

    /** @return what its client's STARTUP says; none before that */
    Optional<Map<String, String>> startup()
    {
        ServerConnection connection = connection();
        return connection == null ? Optional.empty() : connection.getClientState().getClientOptions();
    }

    @Override
    public ClientState state()
    {
        return connection().getClientState();
    }

    /** Netty, which sees none of the requests, must not close the connection for idleness. */
    @Override
    public void served(long requests)
    {
        ServerConnection connection = connection();
        if (connection != null)
            connection.requests.inc(requests);
        if (channel instanceof ServedChannel)
            ((ServedChannel) channel).served(requests);
        IdleStateHandler idleness = channel.pipeline().get(IdleStateHandler.class);
        if (idleness != null)
            channel.eventLoop().execute(idleness::resetReadTimeout);
    }

    @Override
    public boolean equals(Object other)
    {
        return other instanceof TransportConnection && channel == ((TransportConnection) other).channel;
    }

    @Override
    public int hashCode()
    {
        return channel.hashCode();
    }

    @SuppressWarnings("unchecked")
    private static AttributeKey<Connection> attributeKey()
    {
        return (AttributeKey<Connection>) PrivateMember.CONNECTION_KEY.get(null);
    }
}
