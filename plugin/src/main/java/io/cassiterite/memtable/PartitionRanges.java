/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.util.Iterator;

import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.DeletionInfo;
import org.apache.cassandra.db.Slice;
import org.apache.cassandra.db.Slices;
import org.apache.cassandra.db.rows.AbstractUnfilteredRowIterator;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.db.rows.RowAndDeletionMergeIterator;
import org.apache.cassandra.db.rows.Rows;
import org.apache.cassandra.db.rows.Unfiltered;
import org.apache.cassandra.utils.AbstractIterator;

/** A partition with range tombstones: rows and markers of each slice merged as Cassandra's own partitions merge them. */
final class PartitionRanges extends AbstractUnfilteredRowIterator
{
    private final ReadContext context;
    private final DeletionInfo deletion;
    private final Slices slices;
    private final RowSource source;
    private int index;
    private Iterator<Unfiltered> slice;

    PartitionRanges(ReadContext context, DecoratedKey key, DeletionInfo deletion, Row staticRow, Slices slices,
                    boolean reversed, RowSource source)
    {
        super(context.metadata(), key, deletion.getPartitionDeletion(), context.selection.filter.fetchedColumns(), staticRow,
              reversed, context.stats);
        this.context = context;
        this.deletion = deletion;
        this.slices = slices;
        this.source = source;
    }

    @Override
    protected Unfiltered computeNext()
    {
        while (true)
        {
            if (slice == null)
            {
                if (index == slices.size())
                {
                    source.close();
                    return endOfData();
                }
                slice = merge(slices.get(isReverseOrder ? slices.size() - 1 - index : index));
                index++;
            }
            if (slice.hasNext())
                return slice.next();
            slice = null;
        }
    }

    private Iterator<Unfiltered> merge(Slice range)
    {
        return new RowAndDeletionMergeIterator(metadata, partitionKey, partitionLevelDeletion, context.selection.filter,
                                               Rows.EMPTY_STATIC_ROW, isReverseOrder, stats, new SliceRows(),
                                               deletion.rangeIterator(range, isReverseOrder), true);
    }

    @Override
    public void close()
    {
        source.close();
    }

    private final class SliceRows extends AbstractIterator<Row>
    {
        @Override
        protected Row computeNext()
        {
            while (source.nextRowOfSlice())
            {
                Row row = context.readWholeRow(source.answer());
                if (row != null)
                    return row;
            }
            return endOfData();
        }
    }
}
