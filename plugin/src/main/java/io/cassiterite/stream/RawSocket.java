/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;

import io.netty.channel.Channel;
import io.netty.channel.unix.UnixChannel;
import io.netty.util.concurrent.Future;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.net.AsyncStreamingInputPlus;

import io.cassiterite.engine.EngineException;
import io.cassiterite.engine.SharedSocket;
import io.cassiterite.reflect.PrivateMember;

/**
 * A connection while the bytes of a file are read from it: taken from Netty, whose buffers and thread switches cost
 * more than the transfer, and returned after the file's last byte. Closing the channel meanwhile ends the transfer.
 * Used by the thread that reads the connection's messages.
 */
final class RawSocket implements Closeable
{
    private static final Logger logger = LoggerFactory.getLogger(RawSocket.class);

    /** How long it takes at most to notice that the channel was closed. */
    private static final int TIMEOUT_MILLIS = 100;

    /** The names of Cassandra's handlers of a stream that is not encrypted: they do not change bytes. */
    private static final Set<String> PLAIN = Set.of("Internode Error Exclusions", "streamInbound");

    private final AsyncStreamingInputPlus in;
    private final Channel channel;
    private final SharedSocket socket;

    private RawSocket(AsyncStreamingInputPlus in, Channel channel, SharedSocket socket)
    {
        this.in = in;
        this.channel = channel;
        this.socket = socket;
    }

    /**
     * What Netty has read before is in {@code in}; it reads no more.
     *
     * @return null if bytes need Netty: if they are encrypted, or not of Linux's own transport
     */
    static RawSocket take(AsyncStreamingInputPlus in) throws IOException
    {
        Channel channel = (Channel) PrivateMember.STREAM_CHANNEL.get(in);
        if (!(channel instanceof UnixChannel) || !PLAIN.containsAll(channel.pipeline().toMap().keySet()))
        {
            logger.debug("{} stays with Netty", channel);
            return null;
        }
        SharedSocket socket = onLoop(channel, () -> share(channel));
        if (socket == null)
            return null;
        try
        {
            await(channel.deregister());
            awaitLastRead(in, channel);
            return new RawSocket(in, channel, socket);
        }
        catch (IOException | RuntimeException e)
        {
            socket.close();
            throw e;
        }
    }

    /**
     * Once the peer has closed the connection, Netty reads in tasks, each of which queues the next until nothing is
     * left, also when the channel is not registered. Each reads bytes, and queues the next one before the second task
     * of this loop.
     */
    private static void awaitLastRead(AsyncStreamingInputPlus in, Channel channel) throws IOException
    {
        int before;
        do
        {
            before = in.unsafeAvailable();
            for (int i = 0; i < 2; i++)
                onLoop(channel, () -> null);
        } while (in.unsafeAvailable() != before);
    }

    /**
     * Runs on the thread that closes channels: the descriptor cannot be reused for another file meanwhile.
     *
     * @return null if the channel is closed, or there is no descriptor
     */
    private static SharedSocket share(Channel channel)
    {
        if (!channel.isOpen())
            return null; // what was received before is in Netty's queue
        try
        {
            return SharedSocket.of(((UnixChannel) channel).fd().intValue());
        }
        catch (EngineException e)
        {
            logger.warn("{} stays with Netty, because it cannot be shared: {}", channel, e.getMessage());
            return null;
        }
    }

    /**
     * Appends received bytes to a file.
     *
     * @param bytes at most so many
     * @return how many; 0 after the timeout
     */
    int receive(StagedFile file, long bytes) throws IOException
    {
        if (!channel.isOpen())
            throw new ClosedChannelException();
        return file.receive(socket, bytes, TIMEOUT_MILLIS);
    }

    /**
     * Netty does not report a channel that was closed meanwhile; without a request for closure the reader of messages
     * would wait for ever.
     */
    @Override
    public void close()
    {
        socket.close();
        try
        {
            if (channel.isOpen())
                await(channel.eventLoop().register(channel));
        }
        catch (IOException | RejectedExecutionException e)
        {
            logger.debug("{} cannot be returned to Netty", channel, e);
            channel.close();
        }
        finally
        {
            if (!channel.isOpen())
                in.requestClosure();
        }
    }

    private static <T> T onLoop(Channel channel, Callable<T> task) throws IOException
    {
        try
        {
            return await(channel.eventLoop().submit(task));
        }
        catch (RejectedExecutionException e)
        {
            throw new IOException("the node is shutting down", e);
        }
    }

    private static <T> T await(Future<T> future) throws IOException
    {
        if (future.awaitUninterruptibly().isSuccess())
            return future.getNow();
        if (future.cause() instanceof IOException)
            throw (IOException) future.cause();
        throw new IOException("Netty failed to detach or attach the connection", future.cause());
    }
}
