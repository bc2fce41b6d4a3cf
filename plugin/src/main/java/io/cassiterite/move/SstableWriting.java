/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.move;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.DataRange;
import org.apache.cassandra.db.SerializationHeader;
import org.apache.cassandra.db.filter.ColumnFilter;
import org.apache.cassandra.db.partitions.UnfilteredPartitionIterator;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.io.sstable.SSTableReadsListener;
import org.apache.cassandra.io.util.File;
import org.apache.cassandra.schema.TableMetadata;

import io.cassiterite.engine.TableStats;
import io.cassiterite.memtable.CassiteriteMemtable;

/**
 * Writes all rows that the engine has of a table to sstables in the table's folders, as a flush of a stock memtable would. For one
 * thread.
 */
final class SstableWriting
{
    private final ColumnFamilyStore cfs;
    private final CassiteriteMemtable memtable;
    private final long sstableBytes;
    /** Of all sstables, an estimate. */
    private final long expectedBytes;
    private SstableSeries written;

    SstableWriting(CassiteriteMemtable memtable)
    {
        this(memtable, SstableSeries.SSTABLE_BYTES);
    }

    /** @param sstableBytes an sstable ends behind the partition with which it has so many, before compression */
    SstableWriting(CassiteriteMemtable memtable, long sstableBytes)
    {
        this.cfs = memtable.cfs();
        this.memtable = memtable;
        this.sstableBytes = sstableBytes;
        this.expectedBytes = bytes(memtable.table().stats());
    }

    /** Returns when all is on the device. After a failure nothing of it is left; after a kill, whole sstables of copies are. */
    void run()
    {
        try
        {
            write();
        }
        catch (RuntimeException | Error e)
        {
            // others may have put sstables into the folders meanwhile: a stream that has just ended
            if (written != null)
                written.delete();
            throw e;
        }
    }

    private void write()
    {
        TableMetadata metadata = cfs.metadata();
        SerializationHeader header = new SerializationHeader(true, metadata, metadata.regularAndStaticColumns(),
                                                             memtable.statistics().encoding());
        try (SstableSeries series = new SstableSeries(cfs, header, this::folder, sstableBytes, memtable.partitionCount(), expectedBytes);
             UnfilteredPartitionIterator partitions = memtable.partitionIterator(ColumnFilter.all(metadata),
                                                                                 DataRange.allData(metadata.partitioner),
                                                                                 SSTableReadsListener.NOOP_LISTENER))
        {
            written = series;
            while (partitions.hasNext())
                try (UnfilteredRowIterator partition = partitions.next())
                {
                    series.append(partition);
                }
            series.finish();
        }
    }

    private File folder()
    {
        return cfs.getDirectories().getWriteableLocationAsFile(Math.min(sstableBytes, expectedBytes));
    }

    /** What the engine has of a table, about. */
    static long bytes(TableStats stats)
    {
        return stats.sstBytes() + stats.memtableBytes();
    }

    int sstables()
    {
        return written.sstables();
    }

    /** Of the sstables, compressed. */
    long bytes()
    {
        return written.bytes();
    }
}
