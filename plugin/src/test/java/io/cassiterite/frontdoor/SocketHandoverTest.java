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
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.epoll.EpollEventLoopGroup;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.cassiterite.Await;
import io.cassiterite.engine.Door;
import io.cassiterite.frontdoor.desk.ClientConnections;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Channels of a door that change to their clients' own sockets, under a server that echoes. */
class SocketHandoverTest
{
    private static final int CLIENTS = 8;
    private static final int CLOSING_CLIENTS = 60;
    private static final int ECHOED_BYTES = 20 << 20;
    private static final int PATIENCE_SECONDS = 60;
    /** More than the numbers that a door gives to the clients here. */
    private static final int NUMBERS = 200;

    private final Door door = Door.open(2);
    private final ClientConnections connections = new ClientConnections();
    private final EpollEventLoopGroup loops = new EpollEventLoopGroup(2);
    private final BlockingQueue<Channel> accepted = new LinkedBlockingQueue<>();
    private final List<String> events = new ArrayList<>();
    /** The common pool may have too few: a client waits for what sends for it. */
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private InetSocketAddress address;

    @BeforeEach
    void listen() throws Exception
    {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress()))
        {
            address = (InetSocketAddress) free.getLocalSocketAddress();
        }
        ClientHandover handover = new ClientHandover(door, connections, null, () -> false, () -> false, () -> false);
        new ServerBootstrap().channelFactory(() -> new DoorServerChannel(handover, true, Door.TLS_NEVER))
                             .childHandler(new ChannelInitializer<>()
                             {
                                 @Override
                                 protected void initChannel(Channel channel)
                                 {
                                     channel.pipeline().addLast(new Echo());
                                     accepted.add(channel);
                                 }
                             })
                             .group(loops).bind(address).sync();
        handover.start();
    }

    @AfterEach
    void close()
    {
        threads.shutdownNow();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        door.close();
    }

    /** Sends back what it gets, also while the client does not read; notes what it hears of its channel. */
    private final class Echo extends ChannelInboundHandlerAdapter
    {
        @Override
        public void channelRead(ChannelHandlerContext context, Object bytes)
        {
            context.write(bytes);
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context)
        {
            context.flush();
        }

        @Override
        public void channelRegistered(ChannelHandlerContext context)
        {
            note("registered");
        }

        @Override
        public void channelUnregistered(ChannelHandlerContext context)
        {
            note("unregistered");
        }

        private void note(String event)
        {
            synchronized (events)
            {
                events.add(event);
            }
        }
    }

    @Test
    void noByteIsLostWhileClientsSendAndReceive() throws Exception
    {
        List<CompletableFuture<Void>> clients = new ArrayList<>();
        CountDownLatch handedOver = new CountDownLatch(1);
        for (int i = 0; i < CLIENTS; i++)
        {
            int seed = i;
            clients.add(CompletableFuture.runAsync(() -> echo(seed, handedOver), threads));
        }
        for (int i = 0; i < CLIENTS; i++)
            assertNotNull(accepted.poll(PATIENCE_SECONDS, TimeUnit.SECONDS));
        Random random = new Random(1);
        for (Map.Entry<Long, DoorChannel> channel : channels().entrySet())
        {
            Thread.sleep(random.nextInt(20));
            new SocketHandover(channel.getKey(), channel.getValue()).start();
        }
        Await.untilAsserted(Duration.ofSeconds(PATIENCE_SECONDS), () -> {
            channels().forEach((number, channel) -> new SocketHandover(number, channel).start());
            assertEquals(CLIENTS, count("clients_handed_over_later"), () -> door.counters().toString());
        });
        handedOver.countDown();
        for (CompletableFuture<Void> client : clients)
            client.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertEquals(0, count("connections_open"));
        synchronized (events)
        {
            assertEquals(CLIENTS, events.stream().filter("registered"::equals).count());
        }
    }

    private Map<Long, DoorChannel> channels()
    {
        Map<Long, DoorChannel> found = new HashMap<>();
        for (long number = 0; number < NUMBERS; number++)
            if (connections.channel(number) != null)
                found.put(number, (DoorChannel) connections.channel(number));
        return found;
    }

    private long count(String name)
    {
        return door.counters().get(name);
    }

    /** Does not end before all are handed over: a client that has gone is not. */
    private void echo(int seed, CountDownLatch handedOver)
    {
        byte[] sent = new byte[ECHOED_BYTES];
        new Random(seed).nextBytes(sent);
        try (Socket socket = connect())
        {
            CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> send(socket, sent), threads);
            assertArrayEquals(sent, socket.getInputStream().readNBytes(ECHOED_BYTES));
            sending.join();
            assertTrue(handedOver.await(PATIENCE_SECONDS, TimeUnit.SECONDS));
        }
        catch (IOException | InterruptedException e)
        {
            throw new AssertionError(e);
        }
    }

    private static void send(Socket socket, byte[] bytes)
    {
        try
        {
            int piece = 30_000;
            for (int at = 0; at < bytes.length; at += piece)
                socket.getOutputStream().write(bytes, at, Math.min(piece, bytes.length - at));
        }
        catch (IOException e)
        {
            throw new AssertionError(e);
        }
    }

    private Socket connect() throws IOException
    {
        Socket socket = new Socket(address.getAddress(), address.getPort());
        socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
        return socket;
    }

    /** A client whose channel has its own socket. */
    private Socket handedOver() throws Exception
    {
        Socket socket = connect();
        Channel channel = accepted.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        Await.until(channel::isActive);
        long before = count("clients_handed_over_later");
        Await.until(() -> {
            channels().forEach((number, present) -> new SocketHandover(number, present).start());
            return count("clients_handed_over_later") > before;
        });
        return socket;
    }

    /** As stock resets it: SO_LINGER is 0. */
    private static void assertReset(Socket socket)
    {
        assertThrows(SocketException.class, () -> socket.getInputStream().read());
    }

    @Test
    void clientsThatCloseMeanwhileAreForgotten() throws Exception
    {
        Random random = new Random(2);
        for (int i = 0; i < CLOSING_CLIENTS; i++)
        {
            Socket socket = connect();
            Channel channel = accepted.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            Await.until(channel::isActive);
            channels().forEach((number, present) -> new SocketHandover(number, present).start());
            socket.getOutputStream().write(new byte[random.nextInt(3) * 50_000]);
            if (random.nextBoolean())
                socket.setSoLinger(true, 0);
            socket.close();
        }
        Await.until(() -> channels().isEmpty() && count("connections_open") == 0);
    }

    @Test
    void aChannelHearsOfItsClientsEnd() throws Exception
    {
        try (Socket socket = handedOver())
        {
            socket.getOutputStream().write(1);
            assertEquals(1, socket.getInputStream().read());
        }
        Await.until(() -> channels().isEmpty());
    }

    @Test
    void aClientHearsOfItsChannelsEnd() throws Exception
    {
        try (Socket socket = handedOver())
        {
            InetSocketAddress client = (InetSocketAddress) socket.getLocalSocketAddress();
            DoorChannel channel = channels().values().iterator().next();
            assertEquals(client, channel.remoteAddress());
            channel.close().sync();
            assertReset(socket);
        }
    }

    @Test
    void aChannelThatIsClosedStaysSo() throws Exception
    {
        try (Socket socket = connect())
        {
            Channel channel = accepted.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            Await.until(channel::isActive);
            long number = channels().keySet().iterator().next();
            channel.close().sync();
            new SocketHandover(number, (DoorChannel) channel).start();
            assertReset(socket);
        }
        Await.until(() -> count("connections_open") == 0);
        assertEquals(0, count("clients_handed_over_later"));
    }
}
