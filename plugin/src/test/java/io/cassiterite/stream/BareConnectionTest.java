/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
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

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Files between messages of one connection, with the channel and the handler that Cassandra uses. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class BareConnectionTest
{
    private static final int BLOCK = StagingBlocks.BLOCK_BYTES;

    private final CompletableFuture<Channel> accepted = new CompletableFuture<>();
    private final EventLoopGroup loops = new EpollEventLoopGroup(1);
    private final Path folder;
    private NettyStreamingChannel streaming;
    private Channel channel;
    private Socket peer;

    BareConnectionTest() throws IOException
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
                accepted.complete(child);
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
    void filesAndWhatIsBetweenThemArriveToTheByte() throws Exception
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

    private void send(int[] lengths)
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
                    Thread.sleep(50); // the next message finds a connection that was given back
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
        long[] left = {length};
        try (BareConnection connection = BareConnection.take(in))
        {
            in.consume(buffer -> {
                int bytes = buffer.remaining();
                file.append(buffer);
                left[0] -= bytes;
                return bytes;
            }, Math.min(length, in.unsafeAvailable()));
            while (left[0] > 0)
                left[0] -= connection.receive(file, left[0]);
        }
    }

    @Test
    void aPeerThatGoesInTheMiddleIsToldAsBefore() throws Exception
    {
        peer.getOutputStream().write(bytes(BLOCK));
        peer.close();
        endsEarly();
    }

    @Test
    void aChannelThatIsClosedEndsTheTransferThatWaits() throws Exception
    {
        peer.getOutputStream().write(bytes(1000));
        loops.schedule(streaming::close, 300, TimeUnit.MILLISECONDS);
        endsEarly();
        assertFalse(channel.isOpen());
        assertEquals(-1, peer.getInputStream().read(), "the descriptor of its own is closed, too");
    }

    private void endsEarly() throws IOException
    {
        try (StagedFile file = StagedFile.create(folder.resolve("file"), 2 * BLOCK))
        {
            assumeTrue(file.isDirect(), "this filesystem has no direct I/O");
            assertThrows(ClosedChannelException.class, () -> receive(in(), file, 2 * BLOCK));
        }
    }

    @Test
    void itIsGivenBackAlsoUnused() throws Exception
    {
        for (int i = 0; i < 20; i++)
            BareConnection.take(in()).close();
        assertTrue(channel.isRegistered());
        peer.getOutputStream().write(new byte[] {0, 0, 0, 9});
        assertEquals(9, in().readInt());
    }

    @Test
    void bytesThatAHandlerChangesStayWithNetty() throws Exception
    {
        channel.pipeline().addFirst("ssl", new ChannelInboundHandlerAdapter());
        assertNull(BareConnection.take(in()));
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
