/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe.nodetool;

import java.util.List;

import org.junit.jupiter.api.Test;

import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.dht.Murmur3Partitioner.LongToken;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class OwnershipTest
{
    private static final Token MINIMUM = Murmur3Partitioner.MINIMUM;

    @Test
    void oneNodeOwnsTheRing()
    {
        assertTrue(covers(List.of(new Range<>(MINIMUM, MINIMUM))));
        assertTrue(covers(List.of(range(5, 5))));
        assertTrue(covers(List.of(range(-10, 20), range(20, -10))));
    }

    @Test
    void gapsAreNoticed()
    {
        assertFalse(covers(List.of()));
        assertFalse(covers(List.of(range(-10, 20))));
        assertFalse(covers(List.of(range(20, -10))));
        assertFalse(covers(List.of(range(-10, 20), range(21, -10))));
    }

    private static boolean covers(List<Range<Token>> ranges)
    {
        return Ownership.coversRing(ranges, MINIMUM);
    }

    private static Range<Token> range(long left, long right)
    {
        return new Range<>(new LongToken(left), new LongToken(right));
    }
}
