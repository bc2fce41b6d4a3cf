/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor;

import java.util.Random;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ReturnDelayTest
{
    private static final int CLIENTS = 10_000;
    private static final int TICK_MILLIS = 100;

    private static ReturnDelay longest()
    {
        return new ReturnDelay(bound -> 0);
    }

    private static long seconds(ReturnDelay delay)
    {
        return TimeUnit.MILLISECONDS.toSeconds(delay.nextMillis());
    }

    @Test
    void probationsInVainGetRarer()
    {
        ReturnDelay delay = longest();
        delay.left(-1);
        assertEquals(10, seconds(delay));
        for (int expected : new int[]{ 20, 40, 80, 160, 300, 300 })
        {
            delay.left(0);
            assertEquals(expected, seconds(delay));
        }
        delay.left(ReturnDelay.WORTH_NANOS + 1);
        assertEquals(10, seconds(delay));
    }

    /** A gate that opens calls nobody back at once: all would come in the same moment. */
    @Test
    void whoWaitsForAGateAsksAsOftenAsBefore()
    {
        ReturnDelay delay = longest();
        delay.left(-1);
        assertEquals(seconds(delay), seconds(delay));
    }

    @Test
    void clientsThatLeftTogetherDoNotComeBackTogether()
    {
        Random random = new Random(1);
        int[] inTick = new int[1_000];
        for (int i = 0; i < CLIENTS; i++)
        {
            ReturnDelay delay = new ReturnDelay(bound -> Math.floorMod(random.nextLong(), bound));
            delay.left(-1);
            long millis = delay.nextMillis();
            assertTrue(millis > TimeUnit.SECONDS.toMillis(ReturnDelay.FIRST_SECONDS) / 2);
            inTick[(int) millis / TICK_MILLIS]++;
        }
        // 50 ticks, 200 clients each
        for (int clients : inTick)
            assertTrue(clients < 2 * CLIENTS / 50, () -> clients + " come back in one tick");
    }
}
