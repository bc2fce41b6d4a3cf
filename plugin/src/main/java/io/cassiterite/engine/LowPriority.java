/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.engine;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

import com.google.common.base.Throwables;
import com.google.common.util.concurrent.Uninterruptibles;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.concurrent.NamedThreadFactory;

/**
 * Work that may take as long as it takes: its thread has a core when clients' threads have none to do with it. The JVM ignores
 * {@link Thread#setPriority} on Linux, where threads that a thread of low priority makes have it, too, and keep it. So this is
 * for loops over rows, and for nothing under a lock that clients wait for. Thread-safe.
 */
public final class LowPriority
{
    private static final Logger logger = LoggerFactory.getLogger(LowPriority.class);

    private static final String PROPERTY = "cassiterite.background_niceness";
    /** A tenth of the share of a thread of niceness 0: clients are ahead of it, and never shut it out. */
    private static final int NICENESS = Integer.getInteger(PROPERTY, 10);

    private static final ExecutorService THREADS = Executors.newCachedThreadPool(new NamedThreadFactory("cassiterite-low-priority"));

    private LowPriority()
    {
    }

    /** Returns when it is done, with what it returned or threw; an interrupt does not end it. */
    public static <T> T call(Supplier<T> work)
    {
        try
        {
            return Uninterruptibles.getUninterruptibly(THREADS.submit(() -> {
                take();
                return work.get();
            }));
        }
        catch (ExecutionException e)
        {
            Throwables.throwIfUnchecked(e.getCause());
            throw new IllegalStateException(e.getCause());
        }
    }

    /** As {@link #call}. */
    public static void run(Runnable work)
    {
        call(() -> {
            work.run();
            return null;
        });
    }

    /** Of the calling thread, for as long as it lives. */
    private static void take()
    {
        if (!Native.threadLower(NICENESS))
            logger.warn("{} has the priority of clients' threads: the system does not let it have niceness {}",
                        Thread.currentThread().getName(), NICENESS);
    }
}
