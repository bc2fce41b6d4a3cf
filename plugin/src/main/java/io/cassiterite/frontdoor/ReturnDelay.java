/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor;

import java.util.concurrent.TimeUnit;
import java.util.function.LongUnaryOperator;

/**
 * After what time a client that has left the door comes back for a probation. After each probation that ended soon the next one is
 * twice as far away. Clients that left together do not come back together.
 */
final class ReturnDelay
{
    static final int FIRST_SECONDS = 10;
    static final int MOST_SECONDS = 300;
    /** Who has stayed for so long was worth it; probations end sooner, but for clients that hardly ask anything. */
    static final long WORTH_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final LongUnaryOperator random;
    private int seconds = FIRST_SECONDS;

    /** @param random gives numbers below its argument */
    ReturnDelay(LongUnaryOperator random)
    {
        this.random = random;
    }

    /** The client has left. @param stayedNanos how long its last probation lasted; negative if there was none */
    void left(long stayedNanos)
    {
        boolean wasInVain = stayedNanos >= 0 && stayedNanos <= WORTH_NANOS;
        seconds = wasInVain ? Math.min(2 * seconds, MOST_SECONDS) : FIRST_SECONDS;
    }

    /** @return what {@link #nextMillis} is never below */
    long leastMillis()
    {
        return TimeUnit.SECONDS.toMillis(seconds) / 2;
    }

    /** @return the time until the next probation, another one for each client */
    long nextMillis()
    {
        long millis = TimeUnit.SECONDS.toMillis(seconds);
        return millis - random.applyAsLong(millis / 2);
    }
}
