/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.index;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.partitions.UnfilteredPartitionIterator;
import org.apache.cassandra.db.partitions.UnfilteredPartitionIterators;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.db.rows.Unfiltered;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.io.sstable.format.SSTableReader;

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
     * @param add adds them while the generation is the one that has the entries, and returns true; else false. Cassandra asks no
     *            index of the plug-in to index them.
     */
    public static void land(ColumnFamilyStore cfs, Collection<SSTableReader> sstables, Predicate<Table> add)
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
                Table indexed;
                do
                {
                    indexed = IndexBuild.tableOf(cfs);
                    index(cfs, indexed, sstables);
                }
                while (!add.test(indexed));
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
        EntryPage page = new EntryPage(cfs, indexes);
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
        for (SSTableReader sstable : sstables)
            scanners.add(sstable.getScanner());
        return UnfilteredPartitionIterators.merge(scanners, null);
    }

    private static void add(EntryPage page, UnfilteredRowIterator partition)
    {
        page.add(partition.partitionKey(), partition.staticRow());
        while (partition.hasNext())
        {
            if (page.isFull())
            {
                page.write();
                page.clear();
            }
            Unfiltered next = partition.next();
            if (next.isRow())
                page.add(partition.partitionKey(), (Row) next);
        }
    }
}
