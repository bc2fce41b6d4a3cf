/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe.nodetool;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

/** L2: a cleanup that a change of the ring ends tells of all tables that it has not cleaned up. */
class CleanupFailureTest
{
    @Test
    void whatHasFailedBeforeIsNamedToo()
    {
        RuntimeException failure = new IllegalStateException("cleaning up shop.a failed");
        IllegalStateException changes = EngineVerbs.ringChanges("shop.a", "shop.b, shop.c", failure);
        assertEquals("the ring has begun to change, and Cassiterite tables (shop.b, shop.c) were not cleaned up: run it again when the " +
                     "change is over. The cleanup of shop.a has failed before; the log says why", changes.getMessage());
        assertSame(failure, changes.getSuppressed()[0]);
    }

    @Test
    void withoutAFailureThereIsNoMore()
    {
        IllegalStateException changes = EngineVerbs.ringChanges("", "shop.b", null);
        assertEquals("the ring has begun to change, and Cassiterite tables (shop.b) were not cleaned up: run it again when the change is " +
                     "over", changes.getMessage());
        assertEquals(0, changes.getSuppressed().length);
    }
}
