/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import org.slf4j.LoggerFactory;

import org.apache.cassandra.utils.NoSpamLogger;

import io.cassiterite.engine.BackgroundWork;

/**
 * What Cassandra has decided of late. It may ask other nodes, and wait for them; whoever waits holds up nobody else: one
 * thread decides while nothing takes long, and where it waits another one goes on with the rest. Thread-safe.
 */
final class Decisions
{
    private static final NoSpamLogger NO_SPAM = NoSpamLogger.getLogger(LoggerFactory.getLogger(Decisions.class), 10, TimeUnit.MINUTES);

    /** A decision is as old as its beginning. Permissions of other nodes may take long to come. */
    static final long FRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    /** A question that takes longer waits for something. */
    static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    static final int MAX_THREADS = 32;

    /** Questions that were slow the last time come last, and leave threads to others. */
    private static final int MAX_SLOW_THREADS = MAX_THREADS / 2;

    private final Authority authority;
    private final Executor threads;
    private final LongSupplier clock;
    private final Runnable onDecided;

    private final Map<Question, Decision> decisions = new HashMap<>();
    private final Deque<Decision> waiting = new ArrayDeque<>();
    private final Deque<Decision> waitingSlow = new ArrayDeque<>();
    /** Those that are being made. */
    private final Set<Decision> begun = new HashSet<>();
    private int running;

    /**
     * @param threads   may refuse
     * @param onDecided called without a lock, when some decisions were made
     */
    Decisions(Authority authority, Executor threads, LongSupplier clock, Runnable onDecided)
    {
        this.authority = authority;
        this.threads = threads;
        this.clock = clock;
        this.onDecided = onDecided;
    }

    /** Decides a question soon, unless there is a decision of late. */
    void want(Question question)
    {
        synchronized (this)
        {
            Decision decision = decisions.computeIfAbsent(question, Decision::new);
            if (decision.isFresh(clock.getAsLong()) || decision.isAsked)
                return;
            decision.isAsked = true;
            waiting.addFirst(decision);
        }
        tend();
    }

    /** Decides all of these anew, and forgets others. Where the round before lasts, it goes on. */
    void decide(Set<Question> questions)
    {
        synchronized (this)
        {
            decisions.keySet().retainAll(questions);
            waiting.removeIf(this::isForgotten);
            waitingSlow.removeIf(this::isForgotten);
            if (waiting.isEmpty())
                questions.forEach(this::ask);
        }
        tend();
    }

    private void ask(Question question)
    {
        Decision decision = decisions.computeIfAbsent(question, Decision::new);
        decision.question = question;
        if (decision.isAsked)
            return;
        decision.isAsked = true;
        (decision.isSlow ? waitingSlow : waiting).add(decision);
    }

    private boolean isForgotten(Decision decision)
    {
        return decisions.get(decision.question) != decision;
    }

    /** Has another thread go on where all wait. To be called often while {@link #isUnderWay}. */
    void tend()
    {
        synchronized (this)
        {
            if (!hasNext() || hasMovingThread(clock.getAsLong()))
                return;
            if (running >= MAX_THREADS)
            {
                NO_SPAM.warn("{} permissions are awaited; until some come, the front door answers fewer and fewer", running);
                return;
            }
            running++;
        }
        try
        {
            threads.execute(this::run);
        }
        catch (RejectedExecutionException | OutOfMemoryError e)
        {
            ended();
            BackgroundWork.failed("The front door has no thread to ask for permissions, and tries again", e);
        }
    }

    /** Whether decisions are waited for. */
    synchronized boolean isUnderWay()
    {
        return hasNext();
    }

    private boolean hasNext()
    {
        return !waiting.isEmpty() || !waitingSlow.isEmpty() && slowBegun() < MAX_SLOW_THREADS;
    }

    private long slowBegun()
    {
        return begun.stream().filter(decision -> decision.isSlow).count();
    }

    /** One that has not begun with a question yet moves, too. */
    private boolean hasMovingThread(long now)
    {
        return running > begun.size() || begun.stream().anyMatch(decision -> now - decision.begunNanos < SLOW_NANOS);
    }

    private synchronized void ended()
    {
        running--;
    }

    private void run()
    {
        boolean hasDecided = false;
        Decision next = null;
        while ((next = next(next)) != null)
        {
            make(next);
            hasDecided = true;
        }
        if (hasDecided)
            BackgroundWork.attempt("Telling the front door who may be answered", onDecided);
    }

    /** Ends a decision and begins the next one. @return null if the thread has to end, which is noted */
    private synchronized Decision next(Decision last)
    {
        if (last != null)
            last.end(clock.getAsLong());
        begun.remove(last);
        if (!hasNext())
        {
            running--;
            return null;
        }
        Decision next = waiting.isEmpty() ? waitingSlow.remove() : waiting.remove();
        next.begunNanos = clock.getAsLong();
        begun.add(next);
        return next;
    }

    private void make(Decision decision)
    {
        decision.wasAllowed = false;
        BackgroundWork.attempt("Asking Cassandra for a permission", () -> decision.wasAllowed = decision.question.isAllowed(authority));
    }

    /** Whether the last decision was yes, and of late. */
    synchronized boolean allows(Question question, long now)
    {
        Decision decision = decisions.get(question);
        return decision != null && decision.isAllowed && decision.isFresh(now);
    }

    /** Nothing that was decided counts any more, nor what is being decided. */
    synchronized void clear()
    {
        decisions.clear();
        waiting.clear();
        waitingSlow.clear();
    }

    /** Guarded by the lock, but for what the thread that decides uses. */
    private static final class Decision
    {
        /** Its statement is one that is in use. */
        volatile Question question;
        boolean isAsked;
        boolean isSlow;
        boolean isMade;
        boolean isAllowed;
        /** When the last one that was made began. */
        long sinceNanos;
        /** When the present one began. */
        long begunNanos;
        /** Of the thread that decides. */
        boolean wasAllowed;

        Decision(Question question)
        {
            this.question = question;
        }

        void end(long now)
        {
            isAsked = false;
            isSlow = now - begunNanos >= SLOW_NANOS;
            isMade = true;
            isAllowed = wasAllowed;
            sinceNanos = begunNanos;
        }

        boolean isFresh(long now)
        {
            return isMade && now - sinceNanos <= FRESH_NANOS;
        }
    }
}
