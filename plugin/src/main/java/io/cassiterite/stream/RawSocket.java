/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.io.Closeable;
import java.io.IOException;
import java.lang.reflect.Field;
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

/**
 * A connection while the bytes of a file come by it: taken from Netty, whose buffers and changes of threads cost more than
 * the transfer, and given back after the file's last byte. Whoever closes the channel meanwhile ends the transfer, too. Used
 * by the thread that reads the connection's messages.
 */
final class RawSocket implements Closeable
{
    private static final Logger logger = LoggerFactory.getLogger(RawSocket.class);

    /** How long a channel that was closed is not noticed. */
    private static final int PATIENCE_MILLIS = 100;

    /** Cassandra's handlers of a stream that is not enciphered, by their names: they leave bytes as they are. */
    private static final Set<String> PLAIN = Set.of("Internode Error Exclusions", "streamInbound");

    /** Null where Cassandra's class has it not. */
    private static final Field CHANNEL = channelField();

    private final AsyncStreamingInputPlus in;
    private final Channel channel;
    private final SharedSocket socket;

    private RawSocket(AsyncStreamingInputPlus in, Channel channel, SharedSocket socket)
    {
        this.in = in;
        this.channel = channel;
        this.socket = socket;
    }

    private static Field channelField()
    {
        try
        {
            Field field = AsyncStreamingInputPlus.class.getDeclaredField("channel");
            field.setAccessible(true);
            return field;
        }
        catch (ReflectiveOperationException | RuntimeException e)
        {
            logger.warn("This Cassandra does not show a stream's connection: files arrive through Netty, which costs more", e);
            return null;
        }
    }

    /**
     * What Netty has read by then is in {@code in}, and no more will be.
     *
     * @return null where bytes need Netty: enciphered ones, and those of other transports than Linux's own
     */
    static RawSocket take(AsyncStreamingInputPlus in) throws IOException
    {
        Channel channel = channel(in);
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
     * Once the peer has ended the connection, Netty reads in turns that ask for each other until nothing is left, registered or
     * not. Each of them brings bytes, and asks for the next one before this task's second turn.
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

    private static Channel channel(AsyncStreamingInputPlus in)
    {
        try
        {
            return CHANNEL == null ? null : (Channel) CHANNEL.get(in);
        }
        catch (IllegalAccessException e)
        {
            throw new AssertionError(e);
        }
    }

    /**
     * Runs where channels are closed: the descriptor cannot become another file's meanwhile.
     *
     * @return null where the channel is closed, or no descriptor is to be had
     */
    private static SharedSocket share(Channel channel)
    {
        if (!channel.isOpen())
            return null; // what came before the end is in Netty's queue
        try
        {
            return SharedSocket.of(((UnixChannel) channel).fd().intValue());
        }
        catch (EngineException e)
        {
            logger.warn("{} stays with Netty, for it cannot be shared: {}", channel, e.getMessage());
            return null;
        }
    }

    /**
     * Appends what comes to a file.
     *
     * @param bytes at most so many
     * @return how many; 0 if none came for a while
     */
    int receive(StagedFile file, long bytes) throws IOException
    {
        if (!channel.isOpen())
            throw new ClosedChannelException();
        return file.receive(socket, bytes, PATIENCE_MILLIS);
    }

    /** Without Netty's notice of a channel that was closed meanwhile, the thread that reads messages would wait for ever. */
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
            logger.debug("{} cannot be given back", channel, e);
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
        throw new IOException("Netty did not do what a stream needs", future.cause());
    }
}
