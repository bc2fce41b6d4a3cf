/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.move;

import java.util.ArrayList;
import java.util.List;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.DataRange;
import org.apache.cassandra.db.RegularAndStaticColumns;
import org.apache.cassandra.db.SerializationHeader;
import org.apache.cassandra.db.compaction.AbstractCompactionStrategy.ScannerList;
import org.apache.cassandra.db.lifecycle.SSTableSet;
import org.apache.cassandra.db.lifecycle.View;
import org.apache.cassandra.db.partitions.UnfilteredPartitionIterator;
import org.apache.cassandra.db.partitions.UnfilteredPartitionIterators;
import org.apache.cassandra.db.rows.EncodingStats;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.Throwables;
import org.apache.cassandra.utils.concurrent.Refs;

import io.cassiterite.memtable.CassiteriteMemtable;
import io.cassiterite.memtable.EngineTables;
import io.cassiterite.memtable.MemtableView;
import io.cassiterite.memtable.SstablesBeside;

/**
 * All that a table has in both homes at one moment. It keeps files of both, and memory of the engine, from being freed until it is
 * closed. For one thread.
 */
final class ExportView implements AutoCloseable
{
    private final ColumnFamilyStore cfs;
    private final CassiteriteMemtable memtable;
    private final TableMetadata metadata;
    private final Refs<SSTableReader> sstables;
    private final MemtableView engine;
    private ScannerList scanners;

    private ExportView(CassiteriteMemtable memtable, TableMetadata metadata, Refs<SSTableReader> sstables, MemtableView engine)
    {
        this.cfs = memtable.cfs();
        this.memtable = memtable;
        this.metadata = metadata;
        this.sstables = sstables;
        this.engine = engine;
    }

    /** @throws IllegalStateException if the table is being dropped or truncated */
    static ExportView open(ColumnFamilyStore cfs)
    {
        ExportView view;
        do
            view = tryOpen(cfs);
        while (view == null);
        return view;
    }

    /** @return null if the schema has changed meanwhile */
    private static ExportView tryOpen(ColumnFamilyStore cfs)
    {
        TableMetadata metadata = cfs.metadata();
        CassiteriteMemtable memtable = memtable(cfs);
        Refs<SSTableReader> sstables = null;
        ExportView view = null;
        SstablesBeside.Look look = memtable.sstables().lookAtBoth();
        try (look)
        {
            // sstables first: rows that move from them into the engine meanwhile are then in both, and not in neither
            sstables = cfs.selectAndReference(View.selectFunction(SSTableSet.CANONICAL)).refs;
            view = new ExportView(memtable, metadata, sstables, memtable.view());
            if (memtable(cfs) != memtable || sstables.stream().anyMatch(memtable.sstables()::isTruncated))
                throw new IllegalStateException(cfs.metadata() + " is being truncated");
            if (cfs.metadata() == metadata)
                return view;
            view.close();
            return null;
        }
        catch (Throwable t)
        {
            if (view != null)
                view.close();
            else if (sstables != null)
                sstables.release();
            throw t;
        }
    }

    private static CassiteriteMemtable memtable(ColumnFamilyStore cfs)
    {
        CassiteriteMemtable memtable = EngineTables.find(cfs.metadata.id);
        if (memtable == null || memtable.cfs() != cfs || memtable.table() == null)
            throw new IllegalStateException(cfs.metadata() + " is being dropped");
        return memtable;
    }

    /** All partitions, merged, nothing purged; to be asked for once, and closed before this. */
    UnfilteredPartitionIterator partitions()
    {
        List<UnfilteredPartitionIterator> homes = new ArrayList<>();
        scanners = cfs.getCompactionStrategyManager().getScanners(sstables, null);
        homes.addAll(scanners.scanners);
        homes.add(engine.partitions(DataRange.allData(metadata.partitioner)));
        return UnfilteredPartitionIterators.merge(homes, null);
    }

    /** Of sstables with all rows, with dropped columns that sstables have. */
    SerializationHeader header()
    {
        RegularAndStaticColumns columns = metadata.regularAndStaticColumns();
        EncodingStats stats = memtable.statistics().encoding();
        for (SSTableReader sstable : sstables)
        {
            columns = columns.mergeTo(sstable.header.columns());
            stats = stats.mergeWith(sstable.header.stats());
        }
        return new SerializationHeader(true, metadata, columns, stats);
    }

    /** An estimate, also of the compressed size of all in sstables. */
    long bytes()
    {
        return SstableWriting.bytes(memtable.table().stats()) + sstables.stream().mapToLong(SSTableReader::onDiskLength).sum();
    }

    /** An estimate, not too small. */
    long partitionCount()
    {
        return memtable.partitionCount() + sstables.stream().mapToLong(SSTableReader::estimatedKeys).sum();
    }

    @Override
    public void close()
    {
        Throwable failure = Throwables.perform((Throwable) null, engine::close, sstables::release);
        if (scanners != null)
            failure = Throwables.perform(failure, scanners::close);
        Throwables.maybeFail(failure);
    }
}
