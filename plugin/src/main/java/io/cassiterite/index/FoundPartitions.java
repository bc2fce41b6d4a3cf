/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.index;

import java.util.NoSuchElementException;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.ReadCommand;
import org.apache.cassandra.db.ReadExecutionController;
import org.apache.cassandra.db.SinglePartitionReadCommand;
import org.apache.cassandra.db.filter.ClusteringIndexFilter;
import org.apache.cassandra.db.filter.DataLimits;
import org.apache.cassandra.db.filter.RowFilter;
import org.apache.cassandra.db.partitions.AbstractUnfilteredPartitionIterator;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.schema.TableMetadata;

/** The partitions of hits, read from the table. For one thread; must be closed. */
final class FoundPartitions extends AbstractUnfilteredPartitionIterator
{
    private final ColumnFamilyStore cfs;
    private final ReadCommand command;
    private final ReadExecutionController controller;
    private final Hits hits;
    private final StaleEntries stale;
    private Hits.Hit pending;
    private UnfilteredRowIterator next;
    private UnfilteredRowIterator returned;

    FoundPartitions(ColumnFamilyStore cfs, ReadCommand command, ReadExecutionController controller, Hits hits, StaleEntries stale)
    {
        this.cfs = cfs;
        this.command = command;
        this.controller = controller;
        this.hits = hits;
        this.stale = stale;
    }

    @Override
    public TableMetadata metadata()
    {
        return command.metadata();
    }

    @Override
    public boolean hasNext()
    {
        while (next == null)
        {
            leaveReturned();
            Hits.Hit hit = takeSelected();
            if (hit == null)
                return false;
            UnfilteredRowIterator partition = hits.areRows() ? new FoundRows(this, hit) : readPartition(hit);
            if (partition.isEmpty())
                partition.close();
            else
                next = partition;
        }
        return true;
    }

    /** What is left of a partition that the caller does not want to the end. */
    private void leaveReturned()
    {
        if (returned == null)
            return;
        DecoratedKey left = returned.partitionKey();
        returned.close();
        returned = null;
        Hits.Hit hit = takeSelected();
        while (hits.areRows() && hit != null && hit.key.equals(left))
            hit = takeSelected();
        pending = hit;
    }

    @Override
    public UnfilteredRowIterator next()
    {
        if (!hasNext())
            throw new NoSuchElementException();
        returned = next;
        next = null;
        return returned;
    }

    /** The next hit that the query selects; null at the end. */
    Hits.Hit takeSelected()
    {
        Hits.Hit hit = pending;
        pending = null;
        while (hit == null)
        {
            hit = hits.next();
            if (hit == null)
                return null;
            if (!selects(hit))
                hit = null;
        }
        return hit;
    }

    /** Makes the next call of {@link #takeSelected} return this one. */
    void putBack(Hits.Hit hit)
    {
        pending = hit;
    }

    private boolean selects(Hits.Hit hit)
    {
        return command.selectsKey(hit.key) && (hit.row == null || command.selectsClustering(hit.key, hit.row));
    }

    StaleEntries stale()
    {
        return stale;
    }

    ReadCommand command()
    {
        return command;
    }

    private UnfilteredRowIterator readPartition(Hits.Hit hit)
    {
        UnfilteredRowIterator partition = read(hit.key, command.clusteringIndexFilter(hit.key));
        stale.judgePartition(hit, partition, command.columnFilter());
        stale.remove();
        return partition;
    }

    /** Reads from the table, without the filter of the query. */
    UnfilteredRowIterator read(DecoratedKey key, ClusteringIndexFilter filter)
    {
        return SinglePartitionReadCommand.create(metadata(), command.nowInSec(), command.columnFilter(), RowFilter.none(),
                                                 DataLimits.NONE, key, filter)
                                         .queryMemtableAndDisk(cfs, controller);
    }

    @Override
    public void close()
    {
        try
        {
            if (next != null)
                next.close();
            if (returned != null)
                returned.close();
        }
        finally
        {
            next = null;
            returned = null;
            hits.close();
        }
    }
}
