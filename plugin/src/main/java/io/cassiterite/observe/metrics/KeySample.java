/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe.metrics;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.DataRange;
import org.apache.cassandra.db.filter.ColumnFilter;
import org.apache.cassandra.db.partitions.UnfilteredPartitionIterator;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.io.sstable.SSTableReadsListener;
import org.apache.cassandra.service.StorageService;

import io.cassiterite.engine.RangeSizes;
import io.cassiterite.memtable.CassiteriteMemtable;
import io.cassiterite.memtable.EngineTables;

/**
 * Partitions of an engine table that lie evenly over token ranges: the first one behind each of some tokens. Tokens are
 * hashes, so each partition is as likely as another. Every call reads the table.
 */
public final class KeySample
{
    /** As an sstable's index summary has them, unless the table is so large that this would take long. */
    private static final long PARTITIONS_PER_KEY = 128;
    private static final int MOST_PER_RANGE = 128;

    private KeySample()
    {
    }

    /** @return the tokens of keys in the ranges of which this node is the first replica */
    public static List<String> tokens(ColumnFamilyStore cfs)
    {
        CassiteriteMemtable memtable = EngineTables.find(cfs.metadata.id);
        if (memtable == null || memtable.table() == null)
            return List.of();
        List<Range<Token>> ranges = new ArrayList<>();
        for (Range<Token> range : StorageService.instance.getPrimaryRanges(cfs.getKeyspaceName()))
            ranges.addAll(range.unwrap());
        RangeSizes sizes = RangeSizes.of(memtable.table(), ranges);
        List<String> tokens = new ArrayList<>();
        for (Range<Token> range : ranges)
        {
            int count = (int) Math.min(MOST_PER_RANGE, sizes.partitions(range) / PARTITIONS_PER_KEY + 1);
            visit(memtable, List.of(range), count, partition -> tokens.add(partition.partitionKey().getToken().toString()));
        }
        return tokens;
    }

    /**
     * Shows partitions of the table, each one once, open.
     *
     * @param ranges do not wrap around
     */
    static void visit(CassiteriteMemtable memtable, Collection<Range<Token>> ranges, int perRange, Consumer<UnfilteredRowIterator> visitor)
    {
        for (Range<Token> range : ranges)
        {
            Token last = range.left;
            for (Range<Token> part : split(range, perRange))
                if (last != null && last.compareTo(part.left) <= 0) // else there is no partition in between
                    last = visitFirst(memtable, new Range<>(part.left, range.right), visitor);
        }
    }

    /** @return the token of the first partition in a range, or null if there is none */
    private static Token visitFirst(CassiteriteMemtable memtable, Range<Token> range, Consumer<UnfilteredRowIterator> visitor)
    {
        ColumnFilter all = ColumnFilter.all(memtable.metadata());
        try (UnfilteredPartitionIterator partitions =
                 memtable.partitionIterator(all, DataRange.forTokenRange(range), SSTableReadsListener.NOOP_LISTENER))
        {
            if (!partitions.hasNext())
                return null;
            try (UnfilteredRowIterator partition = partitions.next())
            {
                visitor.accept(partition);
                return partition.partitionKey().getToken();
            }
        }
    }

    /** @param range does not wrap around */
    static List<Range<Token>> split(Range<Token> range, int count)
    {
        double left = value(range.left);
        double right = range.right.isMinimum() ? Long.MAX_VALUE : value(range.right);
        List<Range<Token>> parts = new ArrayList<>();
        Token begin = range.left;
        for (int i = 1; i < count; i++)
        {
            Token end = new Murmur3Partitioner.LongToken((long) (left + (right - left) * i / count));
            if (end.compareTo(begin) > 0 && (range.right.isMinimum() || end.compareTo(range.right) < 0))
            {
                parts.add(new Range<>(begin, end));
                begin = end;
            }
        }
        parts.add(new Range<>(begin, range.right));
        return Collections.unmodifiableList(parts);
    }

    private static long value(Token token)
    {
        return token.getLongValue();
    }
}
