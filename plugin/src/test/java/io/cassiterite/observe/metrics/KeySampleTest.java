/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe.metrics;

import java.util.List;

import org.junit.jupiter.api.Test;

import org.apache.cassandra.dht.Murmur3Partitioner.LongToken;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;

import static org.junit.jupiter.api.Assertions.assertEquals;

class KeySampleTest
{
    private static final long MINIMUM = Long.MIN_VALUE;

    private static Range<Token> range(long left, long right)
    {
        return new Range<>(new LongToken(left), new LongToken(right));
    }

    @Test
    void partsAreEvenAndCoverTheRange()
    {
        assertEquals(List.of(range(0, 25), range(25, 50), range(50, 75), range(75, 100)), KeySample.split(range(0, 100), 4));
    }

    @Test
    void theWholeRingIsSplit()
    {
        List<Range<Token>> parts = KeySample.split(range(MINIMUM, MINIMUM), 4);
        assertEquals(4, parts.size());
        assertEquals(new LongToken(MINIMUM), parts.get(0).left);
        assertEquals(new LongToken(MINIMUM), parts.get(3).right);
        assertEquals(0, parts.get(1).right.getLongValue());
    }

    @Test
    void aRangeOfFewTokensHasFewParts()
    {
        assertEquals(List.of(range(7, 8), range(8, 9)), KeySample.split(range(7, 9), 100));
        assertEquals(List.of(range(7, 8)), KeySample.split(range(7, 8), 100));
    }
}
