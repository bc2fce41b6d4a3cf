/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.repair;

import java.util.Comparator;

import org.apache.cassandra.db.DataRange;
import org.apache.cassandra.db.filter.ColumnFilter;
import org.apache.cassandra.db.partitions.UnfilteredPartitionIterator;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.io.sstable.SSTableReadsListener;

import io.cassiterite.memtable.CassiteriteMemtable;

/**
 * All that the engine had in a token range when the cursor was opened, tombstones included, in token order. Its pinned
 * view stays the same until it is closed. For one thread at a time.
 */
final class RangeCursor implements AutoCloseable
{
    static final Comparator<RangeCursor> BY_TOKEN = Comparator.comparing(cursor -> cursor.range.left);

    private final Range<Token> range;
    private final UnfilteredPartitionIterator partitions;

    private RangeCursor(Range<Token> range, UnfilteredPartitionIterator partitions)
    {
        this.range = range;
        this.partitions = partitions;
    }

    /** @param range must not wrap around */
    static RangeCursor open(CassiteriteMemtable memtable, Range<Token> range)
    {
        UnfilteredPartitionIterator partitions = memtable.partitionIterator(ColumnFilter.all(memtable.metadata()),
                                                                            DataRange.forTokenRange(range),
                                                                            SSTableReadsListener.NOOP_LISTENER);
        RangeCursor cursor = new RangeCursor(range, partitions);
        boolean opened = false;
        try
        {
            // the first step of the scan pins its view
            partitions.hasNext();
            opened = true;
            return cursor;
        }
        finally
        {
            if (!opened)
                cursor.close();
        }
    }

    Range<Token> range()
    {
        return range;
    }

    boolean hasNext()
    {
        return partitions.hasNext();
    }

    UnfilteredRowIterator next()
    {
        return partitions.next();
    }

    /** How much of the range lies before a token in it, from 0 to 1. */
    double share(Token token)
    {
        return range.left.size(token) / range.left.size(range.right);
    }

    @Override
    public void close()
    {
        partitions.close();
    }
}
