/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** The desk hears of other nodes that join, leave and move, and its failure is nothing to Cassandra. */
class RingWatchTest
{
    @Test
    void ringChangesAreToldAndNothingElse()
    {
        AtomicInteger told = new AtomicInteger();
        RingWatch watch = new RingWatch(told::incrementAndGet);
        watch.onUp(null);
        watch.onDown(null);
        assertEquals(0, told.get());
        watch.onJoinCluster(null);
        watch.onLeaveCluster(null);
        watch.onMove(null);
        assertEquals(3, told.get());
        new RingWatch(() -> {
            throw new IllegalStateException("the desk has failed");
        }).onMove(null);
    }
}
