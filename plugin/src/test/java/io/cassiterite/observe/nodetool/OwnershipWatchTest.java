/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe.nodetool;

import java.util.List;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import io.cassiterite.memtable.TestMemtable;

import static org.junit.jupiter.api.Assertions.assertTrue;

class OwnershipWatchTest
{
    @BeforeAll
    static void initialize()
    {
        TestMemtable.initialize();
    }

    /** As for a keyspace that was dropped. A cleanup must not continue with ranges that are not watched. */
    @Test
    void whatCannotBeAskedForMayHaveChanged() throws InterruptedException
    {
        CountDownLatch changes = new CountDownLatch(2);
        try (OwnershipWatch watch = new OwnershipWatch("nowhere", List.of(), changes::countDown))
        {
            changes.await();
            assertTrue(watch.hasChanged());
        }
    }
}
