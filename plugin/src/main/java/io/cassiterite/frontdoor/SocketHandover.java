/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.utils.NoSpamLogger;

import io.cassiterite.frontdoor.SocketMoves.Progress;

/**
 * Gives a channel its client's own socket, on the channel's event loop, when it is its turn. Where bytes are on their way
 * just then it tries again, a few times. Between two tries nothing new comes from the client, so that two are enough where
 * Cassandra reads.
 */
final class SocketHandover implements SocketMoves.Move
{
    private static final Logger logger = LoggerFactory.getLogger(SocketHandover.class);
    private static final NoSpamLogger NO_SPAM = NoSpamLogger.getLogger(logger, 1, TimeUnit.MINUTES);

    private static final int TRIES = 10;

    private final long connection;
    private final DoorChannel channel;
    private int triesLeft = TRIES;

    SocketHandover(long connection, DoorChannel channel)
    {
        this.connection = connection;
        this.channel = channel;
    }

    /** A channel whose event loop has not begun with it yet is left as it is. */
    void start()
    {
        try
        {
            if (channel.isRegistered())
                channel.eventLoop().execute(this::await);
        }
        catch (RejectedExecutionException e)
        {
            logger.debug("The transport has stopped before connection {} left the front door", connection);
        }
    }

    /** Of a channel that waits for its turn already the door may tell again. */
    private void await()
    {
        if (channel.beginLeaving())
            SocketMoves.of(channel.eventLoop()).add(this);
    }

    @Override
    public Progress step()
    {
        Progress progress = tryOnce();
        if (progress != Progress.AGAIN)
            channel.endLeaving();
        return progress;
    }

    private Progress tryOnce()
    {
        if (!channel.isOpen())
            return Progress.NOTHING;
        try
        {
            boolean isRepeated = --triesLeft > 0;
            return !channel.takeClientSocket(isRepeated) && isRepeated ? Progress.AGAIN : Progress.DONE;
        }
        catch (Exception | Error e)
        {
            // It has neither socket, or one of which nothing is read any more.
            NO_SPAM.error("A client's connection is closed: it could not leave the front door", e);
            channel.close();
            return Progress.DONE;
        }
    }
}
