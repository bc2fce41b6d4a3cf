/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.netty.channel.Channel;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.util.AttributeKey;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.apache.cassandra.auth.AuthConfig;
import org.apache.cassandra.auth.AuthenticatedUser;
import org.apache.cassandra.transport.Connection;
import org.apache.cassandra.transport.Message;
import org.apache.cassandra.transport.ProtocolVersion;
import org.apache.cassandra.transport.ServerConnection;

import io.cassiterite.memtable.TestMemtable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

class TransportConnectionTest
{
    private static final InetSocketAddress CLIENT = new InetSocketAddress("10.0.0.7", 4711);

    private final EmbeddedChannel channel = new EmbeddedChannel()
    {
        @Override
        protected SocketAddress remoteAddress0()
        {
            return CLIENT;
        }
    };
    private final ClientConnections connections = new ClientConnections();

    @BeforeAll
    static void initialize()
    {
        TestMemtable.initialize();
        AuthConfig.applyAuth();
    }

    private ServerConnection connect(ProtocolVersion version) throws ReflectiveOperationException
    {
        Connection.Tracker tracker = new Connection.Tracker()
        {
            @Override
            public void addConnection(Channel added, Connection connection)
            {
            }

            @Override
            public boolean isRunning()
            {
                return true;
            }
        };
        Constructor<ServerConnection> constructor =
            ServerConnection.class.getDeclaredConstructor(Channel.class, ProtocolVersion.class, Connection.Tracker.class);
        constructor.setAccessible(true);
        ServerConnection connection = constructor.newInstance(channel, version, tracker);
        channel.attr(AttributeKey.<Connection>valueOf("CONN")).set(connection);
        connections.add(7, channel);
        return connection;
    }

    private static void exchange(ServerConnection connection, Message.Type request, Message.Type response)
        throws ReflectiveOperationException
    {
        Method transition = ServerConnection.class.getDeclaredMethod("applyStateTransition", Message.Type.class, Message.Type.class);
        transition.setAccessible(true);
        transition.invoke(connection, request, response);
    }

    @Test
    void isLoggedInWhenCassandraHasAnsweredTheLogin() throws ReflectiveOperationException
    {
        ServerConnection server = connect(ProtocolVersion.V5);
        ClientConnection connection = connections.find(7);
        assertFalse(connection.isLoggedIn());
        exchange(server, Message.Type.STARTUP, Message.Type.READY);
        assertTrue(connection.isLoggedIn());
        assertEquals(AuthenticatedUser.ANONYMOUS_USERNAME, connection.role());
        assertEquals(CLIENT.getAddress(), connection.address());
    }

    @Test
    void isNotLoggedInWhileItAuthenticates() throws ReflectiveOperationException
    {
        ServerConnection server = connect(ProtocolVersion.V5);
        exchange(server, Message.Type.STARTUP, Message.Type.AUTHENTICATE);
        assertFalse(connections.find(7).isLoggedIn());
        exchange(server, Message.Type.AUTH_RESPONSE, Message.Type.AUTH_SUCCESS);
        assertTrue(connections.find(7).isLoggedIn());
    }

    @Test
    void beforeItsFirstMessageThereIsNoLogin()
    {
        connections.add(7, channel);
        assertFalse(connections.find(7).isLoggedIn());
        connections.find(7).served(3);
    }

    @Test
    void aClosedConnectionIsForgotten()
    {
        connections.add(7, channel);
        assertNotNull(connections.find(7));
        channel.close();
        assertNull(connections.find(7));
        assertEquals(0, connections.count());
    }

    @Test
    void aConnectionThatHasLeftTheDoorIsStillOne()
    {
        connections.add(7, channel);
        assertNotNull(connections.atDoor(7));
        connections.left(7);
        assertNull(connections.atDoor(7));
        assertNotNull(connections.find(7));
        connections.cameBack(7);
        assertNotNull(connections.atDoor(7));
        channel.close();
        assertNull(connections.atDoor(7));
    }

    @Test
    void onlyTheNewestVersionIsNotOlder() throws ReflectiveOperationException
    {
        connect(ProtocolVersion.V5);
        assertFalse(connections.find(7).hasOlderProtocol());
        connect(ProtocolVersion.V4);
        assertTrue(connections.find(7).hasOlderProtocol());
    }

    /** F26: a client that the door serves is not idle, though Netty sees nothing of it. */
    @Test
    void nativeAnswersKeepTheConnection() throws ReflectiveOperationException
    {
        AtomicInteger resets = new AtomicInteger();
        channel.pipeline().addLast(new IdleStateHandler(false, 0, 0, 10, TimeUnit.SECONDS)
        {
            @Override
            public void resetReadTimeout()
            {
                resets.incrementAndGet();
                super.resetReadTimeout();
            }
        });
        ServerConnection server = connect(ProtocolVersion.V5);
        connections.find(7).served(5);
        channel.runPendingTasks();
        assertEquals(5, server.requests.getCount());
        assertEquals(1, resets.get());
    }
}
