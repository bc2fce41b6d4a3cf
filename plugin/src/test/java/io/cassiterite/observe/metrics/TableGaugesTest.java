/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe.metrics;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

class TableGaugesTest
{
    private static final long MIB = 1L << 20;

    @Test
    void aCompactionIsDueForEachPartOfTheBytes()
    {
        assertEquals(0, TableGauges.pendingCompactions(0));
        assertEquals(1, TableGauges.pendingCompactions(1));
        assertEquals(1, TableGauges.pendingCompactions(256 * MIB));
        assertEquals(2, TableGauges.pendingCompactions(256 * MIB + 1));
        assertEquals(Integer.MAX_VALUE, TableGauges.pendingCompactions(Long.MAX_VALUE / 2));
    }

    @Test
    void histogramsOfDifferentLengthsAreAdded()
    {
        assertArrayEquals(new long[]{ 11, 2, 3 }, TableGauges.sum(new long[]{ 1, 2, 3 }, new long[]{ 10 }));
        assertArrayEquals(new long[]{ 11, 2, 3 }, TableGauges.sum(new long[]{ 10 }, new long[]{ 1, 2, 3 }));
        assertArrayEquals(new long[]{ 5 }, TableGauges.sum(new long[0], new long[]{ 5 }));
    }
}
