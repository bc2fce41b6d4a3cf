/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.index;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.partitions.UnfilteredPartitionIterator;
import org.apache.cassandra.db.partitions.UnfilteredPartitionIterators;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.db.rows.Unfiltered;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.utils.Throwables;

import io.cassiterite.engine.Table;

/**
 * Sstables that come beside the engine, and have their index entries before anybody can read them: an entry without a row is
 * allowed. So no index becomes incomplete, nor does a failure or a crash leave rows without entries.
 */
public final class IndexedLanding
{
    private IndexedLanding()
    {
    }

    /**
     * Gives entries to the rows of sstables, durably, and then adds these to the table.
     *
     * @param table the generation that gets the entries
     * @param add   adds them, and fails if the table has another generation by now. Cassandra asks no index of the plug-in to index
     *              them
     */
    public static void land(ColumnFamilyStore cfs, Table table, Collection<SSTableReader> sstables, Runnable add)
    {
        TableBuilds builds = TableBuilds.of(cfs);
        BulkLoads loads = builds.bulkLoads();
        builds.begin(false);
        try
        {
            // an index that is made from now on, or whose build goes on, reads these ranges afterwards
            loads.begin();
            try
            {
                index(cfs, table, sstables);
                add.run();
            }
            finally
            {
                loads.end(IndexBuild.rangesOf(sstables));
            }
        }
        finally
        {
            builds.end(false);
        }
    }

    private static void index(ColumnFamilyStore cfs, Table table, Collection<SSTableReader> sstables)
    {
        List<EngineIndex> indexes = IndexBuild.engineIndexes(cfs.indexManager.listIndexes()).stream().filter(EngineIndex::isCreated)
                                              .collect(Collectors.toList());
        if (indexes.isEmpty())
            return;
        EntryPage page = EntryPage.ofComing(cfs, table, indexes);
        try (UnfilteredPartitionIterator partitions = merged(sstables))
        {
            while (partitions.hasNext())
                try (UnfilteredRowIterator partition = partitions.next())
                {
                    add(page, partition);
                }
        }
        if (!page.isEmpty())
            page.write();
        table.store().sync();
    }

    private static UnfilteredPartitionIterator merged(Collection<SSTableReader> sstables)
    {
        List<UnfilteredPartitionIterator> scanners = new ArrayList<>(sstables.size());
        try
        {
            for (SSTableReader sstable : sstables)
                scanners.add(sstable.getScanner());
            return UnfilteredPartitionIterators.merge(scanners, null);
        }
        catch (Throwable t)
        {
            throw Throwables.throwAsUncheckedException(Throwables.close(t, scanners));
        }
    }

    private static void add(EntryPage page, UnfilteredRowIterator partition)
    {
        add(page, partition.partitionKey(), partition.staticRow());
        while (partition.hasNext())
        {
            Unfiltered next = partition.next();
            if (next.isRow())
                add(page, partition.partitionKey(), (Row) next);
        }
    }

    private static void add(EntryPage page, DecoratedKey key, Row row)
    {
        if (page.isFull())
        {
            page.write();
            page.clear();
        }
        page.add(key, row);
    }
}
