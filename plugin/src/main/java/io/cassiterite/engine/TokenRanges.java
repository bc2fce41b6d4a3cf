/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.engine;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;

/**
 * Token ranges (left, right] as the engine takes them: none wraps around. The smallest token, which no key has, is the
 * open left end; the largest one, included, is the open right end. Immutable.
 */
public final class TokenRanges
{
    private static final long FIRST = Long.MIN_VALUE;
    private static final long LAST = Long.MAX_VALUE;

    /** Everything. */
    public static final TokenRanges ALL = new TokenRanges(List.of(new long[]{ FIRST, LAST }));

    private final List<long[]> ranges;

    private TokenRanges(List<long[]> ranges)
    {
        this.ranges = ranges;
    }

    /** Ranges of Murmur3 tokens; one that wraps around becomes two, in its place. Overlaps are kept. */
    public static TokenRanges of(Collection<Range<Token>> ranges)
    {
        List<long[]> unwrapped = new ArrayList<>(ranges.size() + 1);
        for (Range<Token> range : ranges)
            unwrap(range.left.getLongValue(), range.right.getLongValue(), unwrapped);
        return new TokenRanges(unwrapped);
    }

    private static void unwrap(long left, long right, List<long[]> unwrapped)
    {
        if (left < right)
        {
            unwrapped.add(new long[]{ left, right });
            return;
        }
        // (t, t] is the whole ring; the smallest token on the right is the end of the ring.
        if (left != LAST)
            unwrapped.add(new long[]{ left, LAST });
        if (right != FIRST)
            unwrapped.add(new long[]{ FIRST, right });
    }

    /** How many ranges there are, after unwrapping. */
    public int count()
    {
        return ranges.size();
    }

    /** The token behind which a range begins. */
    public long left(int index)
    {
        return ranges.get(index)[0];
    }

    /** The last token of a range. */
    public long right(int index)
    {
        return ranges.get(index)[1];
    }

    public boolean contains(long token)
    {
        for (long[] range : ranges)
        {
            if (token > range[0] && token <= range[1])
                return true;
        }
        return false;
    }

    /** u32 count, count * (i64 left exclusive, i64 right inclusive). */
    byte[] bytes()
    {
        ByteBuffer out = ByteBuffer.allocate(4 + 16 * ranges.size()).order(ByteOrder.LITTLE_ENDIAN);
        out.putInt(ranges.size());
        for (long[] range : ranges)
            out.putLong(range[0]).putLong(range[1]);
        return out.array();
    }

    /** u32 count, count * i64 token. */
    static byte[] boundaries(Collection<Token> tokens)
    {
        ByteBuffer out = ByteBuffer.allocate(4 + 8 * tokens.size()).order(ByteOrder.LITTLE_ENDIAN);
        out.putInt(tokens.size());
        for (Token token : tokens)
            out.putLong(token.getLongValue());
        return out.array();
    }
}
