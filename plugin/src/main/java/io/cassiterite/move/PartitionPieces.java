/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.move;

import org.apache.cassandra.db.ClusteringBound;
import org.apache.cassandra.db.DeletionTime;
import org.apache.cassandra.db.RangeTombstone;
import org.apache.cassandra.db.RegularAndStaticColumns;
import org.apache.cassandra.db.Slice;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.db.rows.RangeTombstoneMarker;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.db.rows.Unfiltered;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.schema.TableMetadata;

/**
 * Takes a partition apart into updates that fit into memory, whatever its size: rows in their order, each once. A deletion of
 * rows comes with the piece in which it ends. For one thread.
 */
final class PartitionPieces
{
    static final int ROWS_MAX = 1_000;
    private static final int BYTES_MAX = 1 << 20;
    private static final int INITIAL_ROWS = 16;

    private final TableMetadata metadata;
    private final RegularAndStaticColumns columns;
    private final UnfilteredRowIterator partition;
    private ClusteringBound<?> open;
    private DeletionTime openTime;
    private boolean begun;

    /**
     * @param columns   all that rows may have: of the table, and of dropped ones those with cells that are younger than the drop
     * @param partition in the order of the table; the caller closes it
     */
    PartitionPieces(TableMetadata metadata, RegularAndStaticColumns columns, UnfilteredRowIterator partition)
    {
        this.metadata = metadata;
        this.columns = columns;
        this.partition = partition;
    }

    boolean hasNext()
    {
        return !begun || partition.hasNext();
    }

    PartitionUpdate next()
    {
        PartitionUpdate.Builder piece = new PartitionUpdate.Builder(metadata, partition.partitionKey(), columns, INITIAL_ROWS);
        if (!begun)
        {
            piece.addPartitionDeletion(partition.partitionLevelDeletion());
            piece.add(partition.staticRow());
            begun = true;
        }
        int rows = 0;
        for (int bytes = 0; rows < ROWS_MAX && bytes < BYTES_MAX && partition.hasNext(); rows++)
        {
            Unfiltered next = partition.next();
            if (next.isRow())
            {
                piece.add((Row) next);
                bytes += ((Row) next).dataSize();
            }
            else
                add(piece, (RangeTombstoneMarker) next);
        }
        if (open != null && !partition.hasNext())
            throw new IllegalStateException("a deletion of rows in partition " + partition.partitionKey() + " has no end");
        return piece.build();
    }

    private void add(PartitionUpdate.Builder piece, RangeTombstoneMarker marker)
    {
        if (marker.isClose(false))
        {
            piece.add(new RangeTombstone(Slice.make(open, marker.closeBound(false)), openTime));
            open = null;
        }
        if (marker.isOpen(false))
        {
            open = marker.openBound(false);
            openTime = marker.openDeletionTime(false);
        }
    }
}
