/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.nio.file.Path;
import java.util.Collection;
import java.util.List;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.DataRange;
import org.apache.cassandra.db.SerializationHeader;
import org.apache.cassandra.db.compaction.OperationType;
import org.apache.cassandra.db.filter.ColumnFilter;
import org.apache.cassandra.db.lifecycle.LifecycleNewTracker;
import org.apache.cassandra.db.partitions.UnfilteredPartitionIterator;
import org.apache.cassandra.db.rows.EncodingStats;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.io.sstable.SSTable;
import org.apache.cassandra.io.sstable.SSTableMultiWriter;
import org.apache.cassandra.io.sstable.SSTableReadsListener;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.io.util.File;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.service.ActiveRepairService;

import io.cassiterite.memtable.CassiteriteMemtable;

/** Writes the rows of an engine table to sstables in a folder. For one thread. */
final class RowExport
{
    private final ColumnFamilyStore cfs;
    private final Path folder;
    private final long partitions;

    /** @param partitions an estimate, for the size of the filter */
    RowExport(ColumnFamilyStore cfs, Path folder, long partitions)
    {
        this.cfs = cfs;
        this.folder = folder;
        this.partitions = partitions;
    }

    /**
     * @param ranges sorted, without overlap
     * @return the sstables, open, each with one reference; none if there are no rows
     */
    Collection<SSTableReader> write(CassiteriteMemtable memtable, List<Range<Token>> ranges)
    {
        TableMetadata metadata = cfs.metadata();
        SerializationHeader header = new SerializationHeader(true, metadata, metadata.regularAndStaticColumns(), EncodingStats.NO_STATS);
        SSTableMultiWriter writer = cfs.createSSTableMultiWriter(cfs.newSSTableDescriptor(new File(folder)), partitions,
                                                                 ActiveRepairService.UNREPAIRED_SSTABLE,
                                                                 ActiveRepairService.NO_PENDING_REPAIR, false, header,
                                                                 new Untracked());
        try
        {
            long written = 0;
            for (Range<Token> range : ranges)
                written += write(memtable, metadata, range, writer);
            if (written > 0)
                return writer.finish(true);
        }
        catch (Throwable t)
        {
            writer.abort(t);
            throw t;
        }
        writer.abort(null);
        return List.of();
    }

    private static long write(CassiteriteMemtable memtable, TableMetadata metadata, Range<Token> range, SSTableMultiWriter writer)
    {
        long written = 0;
        try (UnfilteredPartitionIterator partitions = memtable.partitionIterator(ColumnFilter.all(metadata),
                                                                                 DataRange.forKeyRange(Range.makeRowRange(range)),
                                                                                 SSTableReadsListener.NOOP_LISTENER))
        {
            while (partitions.hasNext())
                try (UnfilteredRowIterator partition = partitions.next())
                {
                    if (!partition.isEmpty())
                    {
                        writer.append(partition);
                        written++;
                    }
                }
        }
        return written;
    }

    /** The folder is deleted as a whole, so its files need not be tracked. */
    private static final class Untracked implements LifecycleNewTracker
    {
        @Override
        public void trackNew(SSTable table)
        {
        }

        @Override
        public void untrackNew(SSTable table)
        {
        }

        @Override
        public OperationType opType()
        {
            return OperationType.STREAM;
        }
    }
}
