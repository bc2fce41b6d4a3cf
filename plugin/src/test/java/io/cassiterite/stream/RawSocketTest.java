/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.EpollEventLoopGroup;
import io.netty.channel.epoll.EpollServerSocketChannel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.apache.cassandra.net.AsyncStreamingInputPlus;
import org.apache.cassandra.streaming.StreamingChannel;
import org.apache.cassandra.streaming.async.NettyStreamingChannel;

import io.cassiterite.OwnJvm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Files between messages of one connection, with the channel and the handler that Cassandra uses. */
@OwnJvm
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class RawSocketTest
{
    private static final int BLOCK = StagingBlocks.BLOCK_BYTES;
    /** As many as are left in a socket that has been read from. */
    private static final int LAST_BYTES = 200_000;

    private final CompletableFuture<Channel> accepted = new CompletableFuture<>();
    private final EventLoopGroup loops = new EpollEventLoopGroup(1);
    private final Path folder;
    private NettyStreamingChannel streaming;
    private Channel channel;
    private Socket peer;

    RawSocketTest() throws IOException
    {
        folder = Files.createTempDirectory(Path.of("target"), "bare");
    }

    @BeforeEach
    void connect() throws Exception
    {
        ServerBootstrap server = new ServerBootstrap().group(loops).channel(EpollServerSocketChannel.class);
        server.childHandler(new ChannelInitializer<Channel>()
        {
            @Override
            protected void initChannel(Channel child)
            {
                streaming = new NettyStreamingChannel(child, StreamingChannel.Kind.CONTROL);
                child.pipeline().addLast("streamInbound", streaming);
                child.eventLoop().execute(() -> accepted.complete(child)); // the pipeline is complete by then
            }
        });
        InetSocketAddress address = (InetSocketAddress) server.bind("127.0.0.1", 0).sync().channel().localAddress();
        peer = new Socket(address.getAddress(), address.getPort());
        channel = accepted.get();
    }

    @AfterEach
    void disconnect() throws Exception
    {
        peer.close();
        channel.close().sync();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        ScratchFolder.delete(folder);
    }

    @Test
    void filesAndMessagesBetweenThemAreReceivedToTheByte() throws Exception
    {
        int[] lengths = {BLOCK, 3 * BLOCK + 70_001, BLOCK + 1, 5 * BLOCK, 2 * BLOCK - 1, 4 * BLOCK + 4096};
        CompletableFuture<Void> sender = CompletableFuture.runAsync(() -> send(lengths));
        AsyncStreamingInputPlus in = in();
        for (int round = 0; round < lengths.length; round++)
        {
            assertEquals(round, in.readInt());
            Path path = folder.resolve("file" + round);
            try (StagedFile file = StagedFile.create(path, lengths[round]))
            {
                assumeTrue(file.isDirect(), "this filesystem has no direct I/O");
                receive(in, file, lengths[round]);
                file.finish();
            }
            assertArrayEquals(bytes(lengths[round]), Files.readAllBytes(path));
            assertEquals(~round, in.readInt());
        }
        sender.get();
    }

    private void send(int... lengths)
    {
        try
        {
            DataOutputStream out = new DataOutputStream(peer.getOutputStream());
            for (int round = 0; round < lengths.length; round++)
            {
                out.writeInt(round);
                out.write(bytes(lengths[round]));
                out.writeInt(~round);
                if (round % 2 == 0)
                    Thread.sleep(50); // the connection is back at Netty for the next message
            }
            out.flush();
        }
        catch (IOException | InterruptedException e)
        {
            throw new IllegalStateException(e);
        }
    }

    private static void receive(AsyncStreamingInputPlus in, StagedFile file, long length) throws IOException
    {
        receive(in, file, length, () -> {});
    }

    private static void receive(AsyncStreamingInputPlus in, StagedFile file, long length, Runnable whenSomeCame) throws IOException
    {
        long left = length;
        try (RawSocket connection = RawSocket.take(in))
        {
            long buffered = connection == null ? length : Math.min(length, in.unsafeAvailable());
            in.consume(buffer -> append(file, buffer), buffered);
            left -= buffered;
            while (left > 0)
            {
                left -= connection.receive(file, left);
                if (left < length)
                    whenSomeCame.run();
            }
        }
    }

    private static int append(StagedFile file, ByteBuffer buffer) throws IOException
    {
        int bytes = buffer.remaining();
        file.append(buffer);
        return bytes;
    }

    @Test
    void whatAPeerSentBeforeItClosedIsReceived() throws Exception
    {
        CompletableFuture<Void> sender = CompletableFuture.runAsync(() -> send(BLOCK)).thenRun(this::hangUp);
        AsyncStreamingInputPlus in = in();
        assertEquals(0, in.readInt());
        Path path = folder.resolve("file");
        try (StagedFile file = StagedFile.create(path, BLOCK))
        {
            assumeTrue(file.isDirect(), "this filesystem has no direct I/O");
            in.consume(buffer -> append(file, buffer), BLOCK - LAST_BYTES);
            sender.get();
            Thread.sleep(100); // the rest and the end are in the socket
            receive(in, file, LAST_BYTES);
            file.finish();
        }
        assertArrayEquals(bytes(BLOCK), Files.readAllBytes(path));
        assertEquals(~0, in.readInt());
        assertThrows(ClosedChannelException.class, in::readInt);
    }

    @Test
    void aPeerThatClosesInTheMiddleIsReportedAsBefore() throws Exception
    {
        CompletableFuture<Void> sender = CompletableFuture.runAsync(() -> send(BLOCK)).thenRun(this::hangUp);
        endsEarly(4 * BLOCK, () -> {});
        sender.get();
    }

    @Test
    void aChannelThatIsClosedEndsTheTransferThatWaits() throws Exception
    {
        peer.getOutputStream().write(bytes(1000));
        endsEarly(2 * BLOCK, streaming::close);
        assertFalse(channel.isOpen());
        assertEquals(-1, peer.getInputStream().read(), "the descriptor of its own is closed, too");
    }

    @Test
    void aChannelThatOthersCloseAfterTheLastByteEndsTheNextRead() throws Exception
    {
        AsyncStreamingInputPlus in = in();
        try (RawSocket connection = RawSocket.take(in))
        {
            assertNotNull(connection);
            channel.close().sync();
        }
        assertThrows(ClosedChannelException.class, in::readInt);
    }

    private void hangUp()
    {
        try
        {
            peer.close();
        }
        catch (IOException e)
        {
            throw new IllegalStateException(e);
        }
    }

    /** @param end completes when bytes were received, and closes the connection if the peer does not */
    private void endsEarly(int length, Runnable end) throws IOException
    {
        try (StagedFile file = StagedFile.create(folder.resolve("file"), length))
        {
            assumeTrue(file.isDirect(), "this filesystem has no direct I/O");
            assertThrows(ClosedChannelException.class, () -> receive(in(), file, length, end));
        }
    }

    @Test
    void itIsGivenBackAlsoUnused() throws Exception
    {
        for (int i = 0; i < 20; i++)
            RawSocket.take(in()).close();
        assertTrue(channel.isRegistered());
        peer.getOutputStream().write(new byte[] {0, 0, 0, 9});
        assertEquals(9, in().readInt());
    }

    @Test
    void bytesThatAHandlerChangesStayWithNetty() throws Exception
    {
        channel.pipeline().addFirst("ssl", new ChannelInboundHandlerAdapter());
        assertNull(RawSocket.take(in()));
        assertTrue(channel.isRegistered());
    }

    private AsyncStreamingInputPlus in()
    {
        return (AsyncStreamingInputPlus) streaming.in();
    }

    private static byte[] bytes(int length)
    {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }
}
