/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.lifecycle;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class HeldTablesTest
{
    @Test
    void theyAreToldAtOnceAndThenEachHour()
    {
        AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 5);
        HeldTables held = new HeldTables(clock::get);
        assertTrue(held.isTime());
        clock.addAndGet(TimeUnit.MINUTES.toNanos(59));
        assertFalse(held.isTime());
        clock.addAndGet(TimeUnit.MINUTES.toNanos(1));
        assertTrue(held.isTime());
        assertFalse(held.isTime());
    }
}
