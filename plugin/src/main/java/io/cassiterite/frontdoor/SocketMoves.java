/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.FastThreadLocal;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The channels of one event loop that are to change their socket. Clients of one kind want to at the same moment, and all
 * others of the loop wait meanwhile. So one channel moves at a time, and before the next one the loop serves its channels
 * for many times as long as the move took. Used in the event loop.
 */
final class SocketMoves
{
    /** The loop gives one part of so many to moves. */
    static final int PARTS = 20;
    static final long LEAST_PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(500);
    static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private static final Logger logger = LoggerFactory.getLogger(SocketMoves.class);
    private static final FastThreadLocal<SocketMoves> OF_LOOP = new FastThreadLocal<>();

    private final Scheduler scheduler;
    private final LongSupplier clock;
    private final Queue<Move> waiting = new ArrayDeque<>();
    /** The one that has begun, and is to go on. */
    private Move present;
    private long spentNanos;
    /** Whether the scheduler will call. */
    private boolean isScheduled;

    SocketMoves(Scheduler scheduler, LongSupplier clock)
    {
        this.scheduler = scheduler;
        this.clock = clock;
    }

    /** Those of the event loop that calls this. */
    static SocketMoves of(EventLoop loop)
    {
        SocketMoves moves = OF_LOOP.get();
        if (moves == null)
        {
            moves = new SocketMoves((step, delayNanos) -> loop.schedule(step, delayNanos, TimeUnit.NANOSECONDS), System::nanoTime);
            OF_LOOP.set(moves);
        }
        return moves;
    }

    /** Moves a channel when it is its turn, at once perhaps. */
    void add(Move move)
    {
        waiting.add(move);
        if (!isScheduled)
            go();
    }

    private void go()
    {
        isScheduled = false;
        Progress progress = Progress.NOTHING;
        while (progress == Progress.NOTHING && (present != null || (present = waiting.poll()) != null))
            progress = step();
        if (progress == Progress.AGAIN)
            schedule(RETRY_NANOS);
        else if (progress == Progress.DONE)
            pause();
    }

    private Progress step()
    {
        long begun = clock.getAsLong();
        Progress progress = present.step();
        spentNanos += clock.getAsLong() - begun;
        if (progress != Progress.AGAIN)
            present = null;
        return progress;
    }

    private void pause()
    {
        long pause = Math.max(LEAST_PAUSE_NANOS, spentNanos * (PARTS - 1));
        spentNanos = 0;
        schedule(pause);
    }

    private void schedule(long delayNanos)
    {
        try
        {
            isScheduled = true;
            scheduler.schedule(this::go, delayNanos);
        }
        catch (RejectedExecutionException e)
        {
            logger.debug("The transport has stopped before {} channels have changed their socket", waiting.size());
            waiting.clear();
            present = null;
        }
    }

    /** What a step has come to. */
    enum Progress
    {
        /** There was nothing to do: another channel moves at once. */
        NOTHING,
        DONE,
        /** The same channel has to take another step soon, before any other. */
        AGAIN
    }

    /** A channel that changes its socket. */
    @FunctionalInterface
    interface Move
    {
        /** Takes little time, and throws nothing. */
        Progress step();
    }

    /** Calls later, in the event loop. */
    @FunctionalInterface
    interface Scheduler
    {
        /** @throws RejectedExecutionException if the loop has ended */
        void schedule(Runnable step, long delayNanos);
    }
}
