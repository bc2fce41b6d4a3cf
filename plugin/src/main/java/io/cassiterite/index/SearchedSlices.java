/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.index;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.apache.cassandra.db.DataRange;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.PartitionPosition;
import org.apache.cassandra.db.PartitionRangeReadCommand;
import org.apache.cassandra.db.ReadCommand;
import org.apache.cassandra.db.SinglePartitionReadCommand;
import org.apache.cassandra.db.Slice;
import org.apache.cassandra.db.Slices;

import io.cassiterite.memtable.IndexKeys;

/** Between which positions among rows a query looks. More may be found there than it selects. */
final class SearchedSlices
{
    private SearchedSlices()
    {
    }

    /** @return pairs of positions, in order */
    static List<byte[]> of(ReadCommand command, IndexedColumn column)
    {
        if (command instanceof SinglePartitionReadCommand)
            return ofPartition(command, ((SinglePartitionReadCommand) command).partitionKey(), column);
        // Up to 5.0.1 only this class has the method.
        DataRange range = ((PartitionRangeReadCommand) command).dataRange();
        PartitionPosition last = range.stopKey();
        byte[] to = last.isMinimum() ? IndexKeys.last() : IndexKeys.to(last.getToken());
        return EntrySlices.intersect(start(command, range, column), List.of(IndexKeys.first(), to));
    }

    /** A page begins behind the last row of the page before, in the middle of a partition. */
    private static List<byte[]> start(ReadCommand command, DataRange range, IndexedColumn column)
    {
        PartitionPosition first = range.startKey();
        if (column.isOfRow && range.isPaging() && first instanceof DecoratedKey && range.contains(first))
        {
            Slices slices = command.clusteringIndexFilter((DecoratedKey) first).getSlices(command.metadata());
            if (slices.size() > 0 && command.metadata().comparator.size() > 0)
                return EntrySlices.from(column.keys, (DecoratedKey) first, column.keys.at((DecoratedKey) first, slices.get(0).start()));
        }
        return List.of(first.isMinimum() ? IndexKeys.first() : IndexKeys.from(first.getToken()), IndexKeys.last());
    }

    private static List<byte[]> ofPartition(ReadCommand command, DecoratedKey key, IndexedColumn column)
    {
        if (!column.isOfRow || command.metadata().comparator.size() == 0)
        {
            byte[] before = column.keys.before(key, null);
            return List.of(before, IndexKeys.after(before));
        }
        List<byte[]> positions = new ArrayList<>();
        for (Slice slice : command.clusteringIndexFilter(key).getSlices(command.metadata()))
        {
            byte[] from = column.keys.at(key, slice.start());
            byte[] to = column.keys.at(key, slice.end());
            if (Arrays.compareUnsigned(from, to) < 0)
            {
                positions.add(from);
                positions.add(to);
            }
        }
        return positions;
    }
}
