/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest;

import java.time.Duration;
import java.util.concurrent.Callable;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.awaitility.core.ConditionTimeoutException;
import org.awaitility.core.ThrowingRunnable;

/** Waits for what is to come by itself; fails after a time. Not for classes that run in a node. */
public final class Await
{
    /** At first, for what is only a moment behind, such as a count. */
    private static final Duration SOON = Duration.ofMillis(10);
    private static final Duration POLL = Duration.ofMillis(50);
    private static final int POLLS_SOON = 10;

    private Await()
    {
    }

    public static void until(String what, Duration bound, Callable<Boolean> condition)
    {
        run(() -> within(bound).alias(what).until(condition));
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
        return Awaitility.with().pollInSameThread().pollDelay(Duration.ZERO)
                         .pollInterval((polls, last) -> polls < POLLS_SOON ? SOON : POLL)
                         .dontCatchUncaughtExceptions().atMost(bound);
    }
}
