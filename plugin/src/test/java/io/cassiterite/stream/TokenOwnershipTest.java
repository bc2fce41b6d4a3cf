/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.util.List;

import org.junit.jupiter.api.Test;

import org.apache.cassandra.dht.Murmur3Partitioner.LongToken;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Which ranges of a shipment the receiver does not own. */
class TokenOwnershipTest
{
    private static final List<Range<Token>> OWNED = Range.normalize(List.of(range(-100, 0), range(0, 100), range(500, -1000)));

    @Test
    void partsOfOwnedRangesAreOwned()
    {
        assertEquals(List.of(), TokenOwnership.notOwned(List.of(range(-100, 100), range(-50, 50)), OWNED));
        assertEquals(List.of(), TokenOwnership.notOwned(Range.normalize(List.of(range(600, -2000))), OWNED));
    }

    @Test
    void whatReachesOutIsNotOwned()
    {
        List<Range<Token>> others = List.of(range(-101, 0), range(50, 101), range(200, 300), range(400, 600));
        assertEquals(others, TokenOwnership.notOwned(others, OWNED));
    }

    private static Range<Token> range(long left, long right)
    {
        return new Range<>(new LongToken(left), new LongToken(right));
    }
}
