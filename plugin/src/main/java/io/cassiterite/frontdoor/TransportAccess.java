/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Collection;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ServerChannel;

import org.apache.cassandra.config.EncryptionOptions.TlsEncryptionPolicy;
import org.apache.cassandra.service.CassandraDaemon;
import org.apache.cassandra.service.NativeTransportService;
import org.apache.cassandra.transport.Connection;
import org.apache.cassandra.transport.Dispatcher;
import org.apache.cassandra.transport.Server;
import org.apache.cassandra.transport.Server.ConnectionTracker;

/**
 * Cassandra's native transport, of which the members that bind its port are private. Its servers, their connections and
 * their life cycle stay Cassandra's; only what a server binds its port with is replaced.
 */
final class TransportAccess
{
    private static final String UNSUPPORTED = "This version of Cassandra is not supported: ";

    private final FrontDoor frontDoor;
    private final Field service = field(CassandraDaemon.class, "nativeTransportService");
    private final Field servers = field(NativeTransportService.class, "servers");
    private final Method initialize = method(NativeTransportService.class, "initialize");
    private final Field configurator = field(Server.class, "pipelineConfigurator");
    private final Field dispatcher = field(Server.class, "dispatcher");
    private final Field tracker = field(Server.class, "connectionTracker");
    private final Field connectionFactory = field(Server.class, "connectionFactory");
    private final Field workers = field(Server.class, "workerGroup");

    private TransportAccess(FrontDoor frontDoor)
    {
        this.frontDoor = frontDoor;
    }

    /**
     * Makes the node's transport bind its port by {@link DoorPipelineConfigurator}: from its start on, or, where it has
     * started already, from the next time on that it binds.
     */
    static TransportAccess install(FrontDoor frontDoor) throws ReflectiveOperationException
    {
        TransportAccess access = new TransportAccess(frontDoor);
        CassandraDaemon daemon = CassandraDaemon.getInstanceForTesting();
        if (daemon.nativeTransportService() == null)
            access.service.set(daemon, new DoorTransportService(access));
        else
            access.adopt(daemon.nativeTransportService());
        return access;
    }

    /** Takes over the node's transport where that is another one than {@link #install} has left. */
    void settle() throws ReflectiveOperationException
    {
        NativeTransportService present = CassandraDaemon.getInstanceForTesting().nativeTransportService();
        if (present == null || present instanceof DoorTransportService || isAdopted(present))
            return;
        adopt(present);
        bindAnew();
    }

    private boolean isAdopted(NativeTransportService service) throws ReflectiveOperationException
    {
        for (Server server : servers(service))
            if (configurator.get(server) instanceof DoorPipelineConfigurator)
                return true;
        return false;
    }

    /** Creates a service's servers, as its start would, and makes them bind by the front door's configurator. */
    void adopt(NativeTransportService service) throws ReflectiveOperationException
    {
        initialize.invoke(service);
        for (Server server : servers(service))
        {
            TlsEncryptionPolicy policy = server.tlsEncryptionPolicy;
            boolean isAdopted = configurator.get(server) instanceof DoorPipelineConfigurator;
            if (policy != TlsEncryptionPolicy.ENCRYPTED && !isAdopted)
                configurator.set(server, new DoorPipelineConfigurator(frontDoor, policy, (Dispatcher) dispatcher.get(server)));
        }
    }

    /**
     * Makes every server that runs bind its port anew; its connections stay.
     *
     * @throws IllegalStateException if a port cannot be bound
     */
    void bindAnew()
    {
        NativeTransportService running = CassandraDaemon.getInstanceForTesting().nativeTransportService();
        if (running == null)
            return;
        try
        {
            for (Server server : servers(running))
                bindAnew(server);
        }
        catch (ReflectiveOperationException e)
        {
            throw new IllegalStateException(e);
        }
    }

    private void bindAnew(Server server) throws ReflectiveOperationException
    {
        Object used = configurator.get(server);
        if (!(used instanceof DoorPipelineConfigurator))
            return;
        // As Server.start, which has the server's monitor too.
        synchronized (server)
        {
            if (!server.isRunning())
                return;
            ConnectionTracker connections = (ConnectionTracker) tracker.get(server);
            for (Channel channel : connections.allChannels)
                if (channel instanceof ServerChannel)
                    channel.close().awaitUninterruptibly();
            ChannelFuture bound = ((DoorPipelineConfigurator) used).initializeChannel((EventLoopGroup) workers.get(server), server.socket,
                                                                                      (Connection.Factory) connectionFactory.get(server));
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
    private Collection<Server> servers(NativeTransportService service) throws IllegalAccessException
    {
        return (Collection<Server>) servers.get(service);
    }

    private static Field field(Class<?> owner, String name)
    {
        try
        {
            Field field = owner.getDeclaredField(name);
            field.setAccessible(true);
            return field;
        }
        catch (NoSuchFieldException e)
        {
            throw new IllegalStateException(UNSUPPORTED + "no " + owner.getSimpleName() + '.' + name, e);
        }
    }

    private static Method method(Class<?> owner, String name)
    {
        try
        {
            Method method = owner.getDeclaredMethod(name);
            method.setAccessible(true);
            return method;
        }
        catch (NoSuchMethodException e)
        {
            throw new IllegalStateException(UNSUPPORTED + "no " + owner.getSimpleName() + '.' + name, e);
        }
    }
}
