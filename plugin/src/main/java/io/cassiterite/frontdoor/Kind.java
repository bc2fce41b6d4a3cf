/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;

/**
 * Connections of one application, from one address. What the door has found out of one of them it takes for true of all: once
 * one has left, new ones leave at once, and they come back one at a time, until the door answers one of them. Thread-safe.
 */
final class Kind
{
    /** Who is answered, and is still at the door after so long, was worth it: the first span of most is over by then. */
    static final long PROVED_NANOS = TimeUnit.SECONDS.toNanos(15);
    /** Who asks nothing proves nothing: then it is another one's turn. */
    static final long TRIAL_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final ReturnDelay delay;
    private final LongSupplier clock;
    /** Those that have left, and have not been on trial themselves. */
    private final Set<Member> outside = new HashSet<>();
    private boolean isForwarded;
    private Member trial;
    private long trialBeganNanos;
    private long nextTrialNanos;

    Kind(LongUnaryOperator random, LongSupplier clock)
    {
        this.delay = new ReturnDelay(random);
        this.clock = clock;
    }

    /** @return true if the door serves such connections no better than Netty would */
    synchronized boolean isForwarded()
    {
        return isForwarded;
    }

    /**
     * A connection has left the door.
     *
     * @param stayedNanos how long its last probation lasted; negative if there was none
     * @return when it is to ask {@link #mayTry} again
     */
    synchronized long left(Member member, long stayedNanos)
    {
        boolean wasTrial = member.equals(trial);
        if (wasTrial || !isForwarded)
        {
            delay.left(stayedNanos);
            nextTrialNanos = clock.getAsLong() + TimeUnit.MILLISECONDS.toNanos(delay.leastMillis());
        }
        if (wasTrial)
            trial = null;
        else
            outside.add(member);
        isForwarded = true;
        return delay.nextMillis();
    }

    /** @return when one that was refused is to ask again */
    synchronized long nextMillis()
    {
        return delay.nextMillis();
    }

    /** @return true if a connection that has left may come back now; it is on trial then, unless another one was worth it */
    synchronized boolean mayTry(Member member)
    {
        long now = clock.getAsLong();
        if (member.equals(trial))
            return true;
        boolean isTurn = trial == null ? now - nextTrialNanos >= 0 : now - trialBeganNanos > TRIAL_NANOS;
        if (isForwarded && !isTurn)
            return false;
        outside.remove(member);
        if (isForwarded)
        {
            trial = member;
            trialBeganNanos = now;
        }
        return true;
    }

    /** The door has answered a connection. If that proves that it serves all of the kind well, all may come back. */
    void answered(Member member)
    {
        called(member).forEach(Member::comeBackSoon);
    }

    private synchronized List<Member> called(Member member)
    {
        if (!member.equals(trial) || clock.getAsLong() - trialBeganNanos < PROVED_NANOS)
            return List.of();
        isForwarded = false;
        trial = null;
        List<Member> called = List.copyOf(outside);
        outside.clear();
        return called;
    }

    /** It could not come back, or has closed. */
    synchronized void gone(Member member)
    {
        outside.remove(member);
        if (member.equals(trial))
            trial = null;
    }

    /** A connection of the kind that has left the door. */
    @FunctionalInterface
    interface Member
    {
        /** The next probation is not to wait for long. Called by any thread. */
        void comeBackSoon();
    }
}
