/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.concurrent.TimeUnit;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.epoll.EpollEventLoopGroup;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.cassiterite.engine.Door;
import io.cassiterite.engine.Door.Client;
import io.cassiterite.engine.Door.Notice;
import io.cassiterite.frontdoor.desk.ClientConnections;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

/** A listening channel whose clients the test itself takes from the door. */
class DoorServerChannelTest
{
    private static final int PATIENCE_SECONDS = 60;

    private final Door door = Door.open(1);
    private final ClientConnections connections = new ClientConnections();
    private final EpollEventLoopGroup loops = new EpollEventLoopGroup(1);

    @AfterEach
    void close()
    {
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        door.close();
    }

    private static InetSocketAddress freeAddress() throws IOException
    {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress()))
        {
            return (InetSocketAddress) free.getLocalSocketAddress();
        }
    }

    private Client takeClient()
    {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (System.nanoTime() < end)
            for (Notice notice : door.take(1_000))
                if (notice instanceof Client)
                    return (Client) notice;
        throw new AssertionError("the client did not come");
    }

    /** Else nobody has the client's descriptor, and the client waits for ever. */
    @Test
    void aClientThatComesWhileItsChannelClosesIsClosed() throws Exception
    {
        InetSocketAddress address = freeAddress();
        ClientHandover handover = new ClientHandover(door, connections, null, () -> true, () -> false, () -> false);
        Channel server = new ServerBootstrap().channelFactory(() -> new DoorServerChannel(handover, true, Door.TLS_NEVER))
                                              .childHandler(new ChannelInboundHandlerAdapter())
                                              .group(loops).bind(address).sync().channel();
        try (Socket socket = new Socket(address.getAddress(), address.getPort()))
        {
            socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
            Client client = takeClient();
            server.close().sync();
            ((DoorServerChannel) server).accept(client);
            assertThrows(SocketException.class, () -> socket.getInputStream().read());
            assertNull(connections.channel(client.connection));
        }
        assertEquals(0, door.counters().get("connections_open"));
    }

    /** Else nobody could connect any more. */
    @Test
    void aClientThatCannotBeHandedOverIsTheOnlyOneLost() throws Exception
    {
        InetSocketAddress broken = freeAddress();
        InetSocketAddress address = freeAddress();
        ClientHandover handover = new ClientHandover(door, connections, null, () -> true, () -> false, () -> false);
        handover.start();
        // It has no event loop.
        handover.listen(new DoorServerChannel(handover, true, Door.TLS_NEVER), broken, 8, true, Door.TLS_NEVER);
        new ServerBootstrap().channelFactory(() -> new DoorServerChannel(handover, true, Door.TLS_NEVER))
                             .childHandler(new Greeting())
                             .group(loops).bind(address).sync();
        for (int i = 1; i <= 2; i++)
        {
            try (Socket lost = connect(broken); Socket served = connect(address))
            {
                assertThrows(SocketException.class, () -> lost.getInputStream().read());
                assertEquals(1, served.getInputStream().read());
            }
            assertEquals(i, handover.failures());
        }
    }

    /** Sends a byte to each client. */
    @ChannelHandler.Sharable
    private static final class Greeting extends ChannelInboundHandlerAdapter
    {
        @Override
        public void channelActive(ChannelHandlerContext context)
        {
            context.writeAndFlush(Unpooled.copiedBuffer(new byte[]{ 1 }));
        }
    }

    private static Socket connect(InetSocketAddress address) throws IOException
    {
        Socket socket = new Socket(address.getAddress(), address.getPort());
        socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
        return socket;
    }
}
