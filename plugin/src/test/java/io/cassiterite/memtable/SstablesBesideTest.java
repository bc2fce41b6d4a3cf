/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** M1: nothing leaves the engine between a view of the one home of rows and a view of the other. */
class SstablesBesideTest
{
    @Test
    void nothingIsForgottenWhileSomebodyLooksAtBoth()
    {
        SstablesBeside beside = new SstablesBeside(null);
        AtomicInteger forgotten = new AtomicInteger();
        SstablesBeside.Look first = beside.lookAtBoth();
        SstablesBeside.Look second = beside.lookAtBoth();
        assertFalse(tryToForget(beside, forgotten));
        first.close();
        assertFalse(tryToForget(beside, forgotten));
        second.close();
        assertEquals(0, forgotten.get());
        assertTrue(tryToForget(beside, forgotten));
        assertEquals(1, forgotten.get());
        beside.lookAtBoth().close();
    }

    private static boolean tryToForget(SstablesBeside beside, AtomicInteger forgotten)
    {
        return CompletableFuture.supplyAsync(() -> beside.tryToForget(forgotten::incrementAndGet)).join();
    }
}
