/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import io.netty.util.concurrent.ScheduledFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.utils.NoSpamLogger;

import io.cassiterite.engine.EngineException;

/**
 * Gives the client of a channel that has left the front door back to it, for a trial: its requests may be others by now.
 * After each trial that ended soon the next one is twice as far away. One object for each channel, used in its event loop.
 */
final class SocketReturn implements Runnable
{
    private static final Logger logger = LoggerFactory.getLogger(SocketReturn.class);
    private static final NoSpamLogger NO_SPAM = NoSpamLogger.getLogger(logger, 1, TimeUnit.MINUTES);

    private static final int FIRST_DELAY_SECONDS = 10;
    private static final int MAX_DELAY_SECONDS = 300;
    /** Between messages a channel is often, but not always. */
    private static final int RETRY_MILLIS = 2;
    private static final int TRIES = 50;
    /** Who has stayed for so long was worth it; trials end sooner, but for clients that hardly ask anything. */
    private static final long WORTH_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final DoorChannel channel;
    private final BooleanSupplier mayReturn;
    private int delaySeconds = FIRST_DELAY_SECONDS;
    private boolean hasReturned;
    private long returnedNanos;
    private int triesLeft;
    /** Its delay is long, and it keeps the channel. */
    private ScheduledFuture<?> next;

    /** @param mayReturn whether a client may come back now */
    SocketReturn(DoorChannel channel, BooleanSupplier mayReturn)
    {
        this.channel = channel;
        this.mayReturn = mayReturn;
        channel.closeFuture().addListener(closed -> cancel());
    }

    private void cancel()
    {
        if (next != null)
            next.cancel(false);
    }

    /** The client has left the door, and can be served there again. */
    void left()
    {
        boolean wasWorthIt = System.nanoTime() - returnedNanos > WORTH_NANOS;
        delaySeconds = !hasReturned || wasWorthIt ? FIRST_DELAY_SECONDS : Math.min(2 * delaySeconds, MAX_DELAY_SECONDS);
        again();
    }

    private void again()
    {
        triesLeft = TRIES;
        schedule(delaySeconds, TimeUnit.SECONDS);
    }

    private void schedule(int delay, TimeUnit unit)
    {
        try
        {
            next = channel.eventLoop().schedule(this, delay, unit);
        }
        catch (RejectedExecutionException e)
        {
            logger.debug("The transport has stopped before {} came back to the front door", channel);
        }
    }

    @Override
    public void run()
    {
        if (!channel.isOpen())
            return;
        try
        {
            if (!mayReturn.getAsBoolean())
                again();
            else if (channel.returnClientSocket())
            {
                hasReturned = true;
                returnedNanos = System.nanoTime();
            }
            else if (--triesLeft > 0)
                schedule(RETRY_MILLIS, TimeUnit.MILLISECONDS);
            else
                again();
        }
        catch (Exception e)
        {
            if (e instanceof EngineException && ((EngineException) e).kind() == EngineException.Kind.CLOSED)
                return;
            // It may have neither socket, or one that the door reads, too.
            NO_SPAM.error("A client's connection is closed: it could not come back to the front door", e);
            channel.close();
        }
    }
}
