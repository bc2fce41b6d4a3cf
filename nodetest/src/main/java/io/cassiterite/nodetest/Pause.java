/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Short waits of polling loops. */
public final class Pause
{
    private static final int POLL_MS = 50;

    private Pause()
    {
    }

    /** Waits for what is to come by itself; fails after a time. */
    public static void until(String what, Duration bound, BooleanSupplier condition)
    {
        long deadlineNanos = System.nanoTime() + bound.toNanos();
        while (!condition.getAsBoolean())
        {
            if (System.nanoTime() > deadlineNanos)
                throw new AssertionError("not within " + bound + ": " + what);
            millis(POLL_MS);
        }
    }

    public static void millis(long millis)
    {
        try
        {
            Thread.sleep(millis);
        }
        catch (InterruptedException e)
        {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for a node", e);
        }
    }
}
