/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite;

import java.time.Duration;
import java.util.concurrent.Callable;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.awaitility.core.ConditionTimeoutException;
import org.awaitility.core.ThrowingRunnable;

/** Waits for what other threads bring about; fails after a time. */
public final class Await
{
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration POLL = Duration.ofMillis(1);

    private Await()
    {
    }

    public static void until(Callable<Boolean> condition)
    {
        run(() -> within(PATIENCE).until(condition));
    }

    /** A failure has the message of the assertion that failed last. */
    public static void untilAsserted(Duration bound, ThrowingRunnable assertion)
    {
        run(() -> within(bound).untilAsserted(assertion));
    }

    /** A test whose time is over has failed, as by any assertion. */
    private static void run(Runnable wait)
    {
        try
        {
            wait.run();
        }
        catch (ConditionTimeoutException e)
        {
            throw new AssertionError(e.getMessage(), e);
        }
    }

    private static ConditionFactory within(Duration bound)
    {
        return Awaitility.with().pollInSameThread().pollDelay(Duration.ZERO).pollInterval(POLL).dontCatchUncaughtExceptions().atMost(bound);
    }
}
