/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.DeletionTime;
import org.apache.cassandra.db.EmptyIterators;
import org.apache.cassandra.db.MutableDeletionInfo;
import org.apache.cassandra.db.Slices;
import org.apache.cassandra.db.rows.LazilyInitializedUnfilteredRowIterator;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.db.rows.Rows;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;

import io.cassiterite.engine.Answer;
import io.cassiterite.engine.Buffers;
import io.cassiterite.engine.DirectOutput;

/** Reads single partitions. */
final class PartitionReader
{
    private PartitionReader()
    {
    }

    /** Reads slices of a partition; null if nothing of it is there. The iterator must be closed. */
    static UnfilteredRowIterator read(ReadContext context, DecoratedKey key, Slices slices, boolean reversed)
    {
        boolean statics = context.selection.fetchesStatics();
        DirectOutput request = Buffers.request();
        ReadRequests.putRead(request, context.columns.keys, key, slices, reversed, statics, ReadRequests.FIRST_CHUNK_BYTES,
                             context.rowsWanted());
        Answer answer = context.table.read(request, context);
        boolean done = false;
        try
        {
            UnfilteredRowIterator partition = assemble(context, key, slices, reversed, new RowSource(answer, true));
            done = partition != null;
            return partition;
        }
        finally
        {
            if (!done)
                answer.close();
        }
    }

    /** Whether a partition has any data; leaves nothing open. */
    static boolean exists(ReadContext context, DecoratedKey key)
    {
        DirectOutput request = Buffers.request();
        ReadRequests.putRead(request, context.columns.keys, key, Slices.ALL, false, true, 1, ReadRequests.NO_BOUND);
        try (Answer answer = context.table.read(request, context))
        {
            while (answer.next())
                if (answer.kind() != Answer.SLICE_END)
                    return true;
            return false;
        }
    }

    /**
     * The whole of a partition, or null if it has nothing. The iterator opens a cursor when it is first used: the
     * compaction of sstables only checks whether it is null, and never closes it.
     */
    static UnfilteredRowIterator readLazily(ReadContext context, DecoratedKey key)
    {
        if (!exists(context, key))
            return null;
        return new LazilyInitializedUnfilteredRowIterator(key)
        {
            @Override
            protected UnfilteredRowIterator initializeIterator()
            {
                UnfilteredRowIterator partition = read(context, key, Slices.ALL, false);
                return partition != null ? partition
                                         : EmptyIterators.unfilteredRow(context.metadata(), key, false);
            }
        };
    }

    /**
     * Makes a partition of the entries of the source: null if there are none.
     */
    static UnfilteredRowIterator assemble(ReadContext context, DecoratedKey key, Slices slices, boolean reversed, RowSource source)
    {
        if (source.nextIf(Answer.HEADER))
            return withDeletions(context, key, slices, reversed, source);
        Row staticRow = source.nextIf(Answer.STATIC) ? context.readStaticRow(source.answer()) : Rows.EMPTY_STATIC_ROW;
        Row first = null;
        while (first == null && source.nextRow())
            first = context.readRow(source.answer());
        if (first == null && staticRow.isEmpty())
            return null;
        return new PartitionRows(context, key, DeletionTime.LIVE, staticRow, reversed, source, first);
    }

    private static UnfilteredRowIterator withDeletions(ReadContext context, DecoratedKey key, Slices slices,
                                                       boolean reversed, RowSource source)
    {
        Answer answer = source.answer();
        MutableDeletionInfo deletion = HeaderReader.read(answer.buffer(), answer.start(), answer.end(),
                                                         context.metadata().comparator);
        DeletionTime partition = deletion.getPartitionDeletion();
        Row staticRow = Rows.EMPTY_STATIC_ROW;
        if (source.nextIf(Answer.STATIC))
        {
            Row staticCells = context.readWholeStaticRow(answer)
                              .filter(context.selection.filter, partition, false, context.metadata());
            staticRow = staticCells == null ? Rows.EMPTY_STATIC_ROW : staticCells;
        }
        return deletion.hasRanges()
             ? new PartitionRanges(context, key, deletion, staticRow, slices, reversed, source)
             : new PartitionRows(context, key, partition, staticRow, reversed, source, null);
    }
}
