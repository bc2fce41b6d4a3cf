/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.index;

import java.util.List;

import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.DataRange;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.PartitionPosition;
import org.apache.cassandra.db.PartitionRangeReadCommand;
import org.apache.cassandra.db.ReadExecutionController;
import org.apache.cassandra.db.filter.ColumnFilter;
import org.apache.cassandra.db.filter.DataLimits;
import org.apache.cassandra.db.filter.RowFilter;
import org.apache.cassandra.db.partitions.UnfilteredPartitionIterator;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.db.rows.Unfiltered;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.dht.Bounds;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.utils.FBUtilities;

/**
 * The rows of a token range, page by page, as any read sees them: no view of the table is held between pages. Each page's
 * entries are written before the next is read. For one thread, except {@link #share}.
 */
final class RowsToIndex
{
    static final long SHARES = 10_000;

    private final ColumnFamilyStore cfs;
    private final Range<PartitionPosition> range;
    private final EntryPage page;
    private DecoratedKey lastKey;
    /** Null where the last partition was read to its end. */
    private Clustering<?> lastRow;
    private volatile long share;

    RowsToIndex(ColumnFamilyStore cfs, List<EngineIndex> indexes, Range<Token> range)
    {
        this.cfs = cfs;
        this.page = EntryPage.ofTable(cfs, indexes);
        this.range = Range.makeRowRange(range);
    }

    /** How far along the ring this is, in ten thousandths. */
    long share()
    {
        return share;
    }

    /** Of the rows of the last page. */
    long pageBytes()
    {
        return page.bytes();
    }

    /** Gives entries to one more page of rows; false if there is none. */
    boolean nextPage()
    {
        page.clear();
        DataRange left = left();
        if (left == null)
            return false;
        PartitionRangeReadCommand command = PartitionRangeReadCommand.create(cfs.metadata(), FBUtilities.nowInSeconds(),
                                                                             ColumnFilter.all(cfs.metadata()), RowFilter.none(),
                                                                             DataLimits.NONE, left);
        boolean more;
        try (ReadExecutionController controller = command.executionController();
             UnfilteredPartitionIterator partitions = command.queryStorage(cfs, controller))
        {
            more = read(partitions);
        }
        if (!page.isEmpty())
            write();
        return more;
    }

    private DataRange left()
    {
        DataRange all = DataRange.forKeyRange(range);
        if (lastKey == null)
            return all;
        if (lastRow != null)
            return all.forPaging(new Bounds<>(lastKey, range.right), cfs.metadata().comparator, lastRow, false);
        boolean isLast = !range.right.isMinimum() && lastKey.compareTo(range.right) >= 0;
        return isLast ? null : all.forSubRange(new Range<>(lastKey, range.right));
    }

    /** Whether there may be more behind the page. */
    private boolean read(UnfilteredPartitionIterator partitions)
    {
        while (partitions.hasNext())
        {
            try (UnfilteredRowIterator partition = partitions.next())
            {
                if (!partition.partitionKey().equals(lastKey))
                    page.add(partition.partitionKey(), partition.staticRow());
                lastKey = partition.partitionKey();
                if (!read(partition))
                    return true;
                lastRow = null;
            }
            if (page.isFull())
                return true;
        }
        return false;
    }

    /** False if the page is full before the end of the partition. */
    private boolean read(UnfilteredRowIterator partition)
    {
        while (partition.hasNext())
        {
            Unfiltered next = partition.next();
            if (!next.isRow())
                continue;
            page.add(lastKey, (Row) next);
            lastRow = next.clustering() == Clustering.EMPTY ? null : (Clustering<?>) next.clustering();
            if (page.isFull() && lastRow != null)
                return false;
        }
        return true;
    }

    private void write()
    {
        share = shareOf(lastKey.getToken().getLongValue());
        page.write();
    }

    private static long shareOf(long token)
    {
        return (long) ((token / 18446744073709551616.0 + 0.5) * SHARES);
    }
}
