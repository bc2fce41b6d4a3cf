/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.engine;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;

/** How much of a table lies in each of some token ranges, which may wrap around: estimates. Immutable. */
public final class RangeSizes
{
    private static final RangeSizes NONE = new RangeSizes();

    private final Map<Range<Token>, long[]> sizes = new HashMap<>();

    private RangeSizes()
    {
    }

    /** @param table null for a table that holds nothing */
    public static RangeSizes of(Table table, Collection<Range<Token>> ranges)
    {
        if (table == null || ranges.isEmpty())
            return NONE;
        List<Range<Token>> asked = new ArrayList<>(ranges);
        List<RangeSize> answers = table.sizes(TokenRanges.of(asked));
        RangeSizes result = new RangeSizes();
        int next = 0;
        for (Range<Token> range : asked)
        {
            long[] sum = new long[3];
            for (int parts = TokenRanges.of(List.of(range)).count(); parts > 0; parts--)
            {
                RangeSize part = answers.get(next++);
                sum[0] += part.partitions();
                sum[1] += part.bytes();
                sum[2] += part.dataBytes();
            }
            result.sizes.put(range, sum);
        }
        return result;
    }

    /** Partitions in one of the ranges asked for; never 0 where there is data. */
    public long partitions(Range<Token> range)
    {
        long[] sum = sizes.get(range);
        return sum == null ? 0 : sum[0];
    }

    /** Bytes in one of the ranges asked for, as they lie on the device and in memory. */
    public long bytes(Range<Token> range)
    {
        long[] sum = sizes.get(range);
        return sum == null ? 0 : sum[1];
    }

    /** Bytes of keys and values in one of the ranges asked for, uncompressed. */
    public long dataBytes(Range<Token> range)
    {
        long[] sum = sizes.get(range);
        return sum == null ? 0 : sum[2];
    }
}
