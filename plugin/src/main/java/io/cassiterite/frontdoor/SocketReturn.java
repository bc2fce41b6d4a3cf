/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import io.netty.util.concurrent.ScheduledFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.utils.NoSpamLogger;

import io.cassiterite.engine.EngineException;
import io.cassiterite.frontdoor.SocketMoves.Progress;

/**
 * Gives the client of a channel that has left the front door back to it, for a probation: its requests may be others by now. One
 * object for each channel, used in its event loop.
 */
final class SocketReturn implements SocketMoves.Move, Kind.Member
{
    private static final Logger logger = LoggerFactory.getLogger(SocketReturn.class);
    private static final NoSpamLogger NO_SPAM = NoSpamLogger.getLogger(logger, 1, TimeUnit.MINUTES);

    /** Between messages a channel is often, but not always. */
    private static final int RETRY_MILLIS = 2;
    private static final int TRIES = 50;
    /** In which a kind comes back that was worth it: not all at once. */
    private static final int SOON_MILLIS = 5_000;

    private final DoorChannel channel;
    private final BooleanSupplier mayReturn;
    private final ReturnDelay delay = new ReturnDelay(bound -> ThreadLocalRandom.current().nextLong(bound));
    /** Null where each channel has its own verdict. */
    private volatile Kind kind;
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
        if (kind != null)
            kind.gone(this);
    }

    /** The client has left the door, and can be served there again. @param kind null if this channel has its own verdict */
    void left(Kind kind)
    {
        this.kind = kind;
        long stayedNanos = hasReturned ? System.nanoTime() - returnedNanos : -1;
        delay.left(stayedNanos);
        triesLeft = TRIES;
        schedule(kind == null ? delay.nextMillis() : kind.left(this, stayedNanos));
    }

    private void again()
    {
        triesLeft = TRIES;
        schedule(kind == null ? delay.nextMillis() : kind.nextMillis());
    }

    @Override
    public void comeBackSoon()
    {
        try
        {
            channel.eventLoop().execute(() -> {
                if (next != null && next.cancel(false))
                    schedule(ThreadLocalRandom.current().nextInt(SOON_MILLIS));
            });
        }
        catch (RejectedExecutionException e)
        {
            logger.debug("The transport has stopped before {} came back to the front door", channel);
        }
    }

    /** The door has answered the client. Called by any thread. */
    void answered()
    {
        Kind present = kind;
        if (present != null)
            present.answered(this);
    }

    private void schedule(long delayMillis)
    {
        try
        {
            next = channel.eventLoop().schedule(() -> SocketMoves.of(channel.eventLoop()).add(this), delayMillis, TimeUnit.MILLISECONDS);
        }
        catch (RejectedExecutionException e)
        {
            logger.debug("The transport has stopped before {} came back to the front door", channel);
        }
    }

    @Override
    public Progress step()
    {
        if (!channel.isOpen())
            return Progress.NOTHING;
        try
        {
            if (!mayReturn.getAsBoolean() || kind != null && !kind.mayTry(this))
            {
                again();
                return Progress.NOTHING;
            }
            comeBack();
        }
        catch (Exception | Error e)
        {
            if (e instanceof EngineException && ((EngineException) e).kind() == EngineException.Kind.CLOSED)
                return Progress.DONE;
            // It may have neither socket, or one that the door reads, too.
            NO_SPAM.error("A client's connection is closed: it could not come back to the front door", e);
            channel.close();
        }
        return Progress.DONE;
    }

    private void comeBack() throws Exception
    {
        if (channel.returnClientSocket())
        {
            hasReturned = true;
            returnedNanos = System.nanoTime();
        }
        else if (--triesLeft > 0)
            schedule(RETRY_MILLIS);
        else
        {
            if (kind != null)
                kind.gone(this);
            again();
        }
    }
}
