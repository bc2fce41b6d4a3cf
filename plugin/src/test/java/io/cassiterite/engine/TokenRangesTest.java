/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.engine;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import org.apache.cassandra.dht.Murmur3Partitioner.LongToken;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Cassandra's ranges as the engine takes them. */
class TokenRangesTest
{
    private static final long FIRST = Long.MIN_VALUE;
    private static final long LAST = Long.MAX_VALUE;

    private static Range<Token> range(long left, long right)
    {
        return new Range<>(new LongToken(left), new LongToken(right));
    }

    private static List<Long> unwrapped(Range<Token> range)
    {
        TokenRanges ranges = TokenRanges.of(List.of(range));
        List<Long> ends = new ArrayList<>();
        for (int i = 0; i < ranges.count(); i++)
        {
            ends.add(ranges.left(i));
            ends.add(ranges.right(i));
        }
        return ends;
    }

    @Test
    void whatWrapsAroundIsUnwrapped()
    {
        assertEquals(List.of(-5L, 9L), unwrapped(range(-5, 9)));
        assertEquals(List.of(9L, LAST, FIRST, -5L), unwrapped(range(9, -5)));
        assertEquals(List.of(7L, LAST, FIRST, 7L), unwrapped(range(7, 7)), "a range from a token to itself is all");
        assertEquals(List.of(FIRST, LAST), unwrapped(range(FIRST, FIRST)));
        assertEquals(List.of(7L, LAST), unwrapped(range(7, FIRST)), "the smallest token is the ring's end");
        assertEquals(List.of(FIRST, 7L), unwrapped(range(FIRST, 7)));
        assertEquals(List.of(FIRST, 7L), unwrapped(range(LAST, 7)), "nothing is behind the last token");
    }

    @Test
    void aTokenIsInTheRangesThatCassandraGives()
    {
        long[] tokens = { FIRST + 1, -6, -5, -4, 0, 7, 8, 9, 10, LAST };
        for (Range<Token> range : List.of(range(-5, 9), range(9, -5), range(7, 7), range(FIRST, FIRST), range(7, FIRST)))
        {
            for (long token : tokens)
                assertEquals(range.contains(new LongToken(token)), TokenRanges.of(List.of(range)).contains(token), range + " " + token);
        }
        assertTrue(TokenRanges.ALL.contains(LAST));
        assertFalse(TokenRanges.of(List.of()).contains(0));
    }

    @Test
    void theBytesAreCountAndEnds()
    {
        ByteBuffer bytes = ByteBuffer.wrap(TokenRanges.of(List.of(range(9, -5))).bytes()).order(ByteOrder.LITTLE_ENDIAN);
        assertEquals(2, bytes.getInt());
        for (long end : new long[]{ 9, LAST, FIRST, -5 })
            assertEquals(end, bytes.getLong());
        assertFalse(bytes.hasRemaining());
    }
}
