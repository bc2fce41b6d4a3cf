/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;

import com.datastax.oss.driver.api.core.DriverException;

/**
 * Rows that clients write and read all the time. Each read must show the row. A row's values ascend, and while the ring does
 * not change a read must show at least the value that was acknowledged before it began. While it changes, nodes learn of it
 * one after the other, and Cassandra's own answers may be older. Requests that fail are nobody's fault: nodes are away.
 */
final class CheckedRows implements AutoCloseable
{
    /** One row written, by the server's clock. */
    @FunctionalInterface
    interface Write
    {
        void run(int key, int value);
    }

    /** One row read: its value, null if there is no row. */
    @FunctionalInterface
    interface Read
    {
        Integer run(int key);
    }

    private final AtomicIntegerArray acknowledged;
    private final ExecutorService clients = Executors.newCachedThreadPool();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    /** Odd while the ring changes. */
    private final AtomicInteger changes = new AtomicInteger();
    private volatile boolean finished;

    CheckedRows(int keys)
    {
        acknowledged = new AtomicIntegerArray(keys);
    }

    /** Writes each row once, then one after the other until the end. */
    void write(Write write)
    {
        for (int key = 0; key < acknowledged.length(); key++)
            write(write, key, 1);
        int[] last = { 1 };
        loop(() -> write(write, ThreadLocalRandom.current().nextInt(acknowledged.length()), ++last[0]));
    }

    private void write(Write write, int key, int value)
    {
        write.run(key, value);
        acknowledged.set(key, value);
    }

    /** Reads one row after the other until the end. */
    void check(Read read)
    {
        loop(() -> check(read, ThreadLocalRandom.current().nextInt(acknowledged.length())));
    }

    private void check(Read read, int key)
    {
        int before = changes.get();
        int least = acknowledged.get(key);
        Integer value = read.run(key);
        boolean isStable = before % 2 == 0 && changes.get() == before;
        if (value == null || (isStable && value < least))
            throw new AssertionError("row " + key + " was written with " + least + ", and a read shows " + value);
    }

    /** Runs something that changes the ring, and returns when all nodes know. */
    void whileRingChanges(Runnable change)
    {
        changes.incrementAndGet();
        change.run();
        changes.incrementAndGet();
    }

    /** Reads each row once. */
    void checkAll(Read read)
    {
        for (int key = 0; key < acknowledged.length(); key++)
            check(read, key);
    }

    private void loop(Runnable request)
    {
        clients.execute(() -> {
            try
            {
                while (!finished)
                    runOnce(request);
            }
            catch (RuntimeException | AssertionError e)
            {
                failure.compareAndSet(null, e);
            }
        });
    }

    private static void runOnce(Runnable request)
    {
        try
        {
            request.run();
        }
        catch (DriverException e)
        {
            Thread.yield(); // not answered
        }
    }

    boolean hasFailed()
    {
        return failure.get() != null;
    }

    void throwFailure()
    {
        if (hasFailed())
            throw new AssertionError("a client has failed", failure.get());
    }

    @Override
    public void close()
    {
        finished = true;
        clients.shutdownNow();
    }
}
