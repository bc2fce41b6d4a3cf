/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor;

import java.util.Collection;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ServerChannel;

import org.apache.cassandra.service.CassandraDaemon;
import org.apache.cassandra.service.NativeTransportService;
import org.apache.cassandra.transport.Connection;
import org.apache.cassandra.transport.Dispatcher;
import org.apache.cassandra.transport.Server;
import org.apache.cassandra.transport.Server.ConnectionTracker;

import static io.cassiterite.reflect.PrivateMember.SERVER_CONFIGURATOR;
import static io.cassiterite.reflect.PrivateMember.SERVER_CONNECTIONS;
import static io.cassiterite.reflect.PrivateMember.SERVER_CONNECTION_FACTORY;
import static io.cassiterite.reflect.PrivateMember.SERVER_DISPATCHER;
import static io.cassiterite.reflect.PrivateMember.SERVER_WORKERS;
import static io.cassiterite.reflect.PrivateMember.TRANSPORT_INITIALIZE;
import static io.cassiterite.reflect.PrivateMember.TRANSPORT_SERVERS;
import static io.cassiterite.reflect.PrivateMember.TRANSPORT_SERVICE;

/**
 * Cassandra's native transport, of which the members that bind its port are private. Its servers, their connections and
 * their life cycle stay Cassandra's; only what a server binds its port with is replaced.
 */
final class TransportAccess
{
    private final FrontDoor frontDoor;

    private TransportAccess(FrontDoor frontDoor)
    {
        this.frontDoor = frontDoor;
    }

    /**
     * Makes the node's transport bind its port by {@link DoorPipelineConfigurator}: from its start on, or, where it has
     * started already, from the next time on that it binds.
     */
    static TransportAccess install(FrontDoor frontDoor)
    {
        TransportAccess access = new TransportAccess(frontDoor);
        CassandraDaemon daemon = CassandraDaemon.getInstanceForTesting();
        if (daemon.nativeTransportService() == null)
            TRANSPORT_SERVICE.set(daemon, new DoorTransportService(access));
        else
            access.adopt(daemon.nativeTransportService());
        return access;
    }

    /** Takes over the node's transport where that is another one than {@link #install} has left. */
    void settle()
    {
        NativeTransportService present = CassandraDaemon.getInstanceForTesting().nativeTransportService();
        if (present == null || present instanceof DoorTransportService || isAdopted(present))
            return;
        adopt(present);
        bindAnew();
    }

    private boolean isAdopted(NativeTransportService service)
    {
        for (Server server : servers(service))
            if (SERVER_CONFIGURATOR.get(server) instanceof DoorPipelineConfigurator)
                return true;
        return false;
    }

    /** Creates a service's servers, as its start would, and makes them bind by the front door's configurator. */
    void adopt(NativeTransportService service)
    {
        TRANSPORT_INITIALIZE.invoke(service);
        for (Server server : servers(service))
            if (!(SERVER_CONFIGURATOR.get(server) instanceof DoorPipelineConfigurator))
                SERVER_CONFIGURATOR.set(server, configurator(server));
    }

    private DoorPipelineConfigurator configurator(Server server)
    {
        return new DoorPipelineConfigurator(frontDoor, server.tlsEncryptionPolicy, (Dispatcher) SERVER_DISPATCHER.get(server));
    }

    /**
     * Makes every server that runs bind its port anew, if another one binds it from now on; its connections stay.
     *
     * @throws IllegalStateException if a port cannot be bound
     */
    void bindAnew()
    {
        NativeTransportService running = CassandraDaemon.getInstanceForTesting().nativeTransportService();
        if (running == null)
            return;
        for (Server server : servers(running))
            bindAnew(server);
    }

    private void bindAnew(Server server)
    {
        Object used = SERVER_CONFIGURATOR.get(server);
        if (!(used instanceof DoorPipelineConfigurator) || !((DoorPipelineConfigurator) used).isToBeBoundAnew())
            return;
        // As Server.start, which has the server's monitor too.
        synchronized (server)
        {
            if (!server.isRunning())
                return;
            ConnectionTracker connections = (ConnectionTracker) SERVER_CONNECTIONS.get(server);
            for (Channel channel : connections.allChannels)
                if (channel instanceof ServerChannel)
                    channel.close().awaitUninterruptibly();
            EventLoopGroup workers = (EventLoopGroup) SERVER_WORKERS.get(server);
            Connection.Factory factory = (Connection.Factory) SERVER_CONNECTION_FACTORY.get(server);
            ChannelFuture bound = ((DoorPipelineConfigurator) used).initializeChannel(workers, server.socket, factory);
            if (!bound.awaitUninterruptibly().isSuccess())
                throw new IllegalStateException("the port " + server.socket + " cannot be bound; nobody can connect to it before " +
                                                "nodetool disablebinary and enablebinary", bound.cause());
            connections.allChannels.add(bound.channel());
            // It may have stopped since, and closed all channels that it knew.
            if (!server.isRunning())
                bound.channel().close();
        }
    }

    @SuppressWarnings("unchecked")
    private Collection<Server> servers(NativeTransportService service)
    {
        return (Collection<Server>) TRANSPORT_SERVERS.get(service);
    }
}
