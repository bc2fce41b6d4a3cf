/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.move;

import java.util.Set;

import com.google.common.collect.Sets;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.DataRange;
import org.apache.cassandra.db.Directories;
import org.apache.cassandra.db.SerializationHeader;
import org.apache.cassandra.db.filter.ColumnFilter;
import org.apache.cassandra.db.partitions.UnfilteredPartitionIterator;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.io.sstable.Descriptor;
import org.apache.cassandra.io.sstable.SSTableReadsListener;
import org.apache.cassandra.io.sstable.SSTableTxnWriter;
import org.apache.cassandra.io.util.File;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.service.ActiveRepairService;

import io.cassiterite.engine.TableStats;
import io.cassiterite.memtable.CassiteriteMemtable;

/**
 * Writes all rows that the engine has of a table to sstables in the table's folders, as a flush of a stock memtable would:
 * nothing is purged. Each sstable is a transaction of its own: after a crash it is there as a whole, or not. For one thread.
 */
final class SstableWriting
{
    /** Compaction strategies expect sstables much smaller than the table. */
    private static final long SSTABLE_BYTES = 1L << 30;

    private final ColumnFamilyStore cfs;
    private final CassiteriteMemtable memtable;
    private final long sstableBytes;
    /** Of all sstables, an estimate. */
    private final long expectedBytes;
    private SSTableTxnWriter writer;
    private int sstables;
    private long bytes;

    SstableWriting(CassiteriteMemtable memtable)
    {
        this(memtable, SSTABLE_BYTES);
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
        Set<Descriptor> before = sstablesOnDevice();
        try
        {
            write();
        }
        catch (RuntimeException | Error e)
        {
            for (Descriptor descriptor : Sets.difference(sstablesOnDevice(), before))
                descriptor.getFormat().delete(descriptor);
            throw e;
        }
    }

    private Set<Descriptor> sstablesOnDevice()
    {
        return cfs.getDirectories().sstableLister(Directories.OnTxnErr.IGNORE).skipTemporary(true).list().keySet();
    }

    private void write()
    {
        TableMetadata metadata = cfs.metadata();
        try (UnfilteredPartitionIterator partitions = memtable.partitionIterator(ColumnFilter.all(metadata),
                                                                                 DataRange.allData(metadata.partitioner),
                                                                                 SSTableReadsListener.NOOP_LISTENER))
        {
            while (partitions.hasNext())
                try (UnfilteredRowIterator partition = partitions.next())
                {
                    if (!partition.isEmpty())
                        append(partition);
                }
            finish();
        }
        finally
        {
            if (writer != null)
                writer.close(); // aborts
        }
    }

    /** What the engine has of a table, about. */
    static long bytes(TableStats stats)
    {
        return stats.sstBytes() + stats.memtableBytes();
    }

    int sstables()
    {
        return sstables;
    }

    /** Of the sstables, compressed. */
    long bytes()
    {
        return bytes;
    }

    private void append(UnfilteredRowIterator partition)
    {
        if (writer == null)
            writer = open();
        writer.append(partition);
        if (writer.getFilePointer() >= sstableBytes)
            finish();
    }

    private SSTableTxnWriter open()
    {
        TableMetadata metadata = cfs.metadata();
        File folder = cfs.getDirectories().getWriteableLocationAsFile(Math.min(sstableBytes, expectedBytes));
        SerializationHeader header = new SerializationHeader(true, metadata, metadata.regularAndStaticColumns(),
                                                             memtable.statistics().encoding());
        Descriptor descriptor = cfs.newSSTableDescriptor(folder);
        return SSTableTxnWriter.create(cfs, descriptor, partitionsOfOne(),
                                       ActiveRepairService.UNREPAIRED_SSTABLE, ActiveRepairService.NO_PENDING_REPAIR, false, header);
    }

    /** Filters and summaries are sized by it. */
    private long partitionsOfOne()
    {
        double share = Math.min(1, (double) sstableBytes / Math.max(1, expectedBytes));
        return Math.max(1, (long) (memtable.partitionCount() * share));
    }

    private void finish()
    {
        if (writer == null)
            return;
        writer.finish(false);
        bytes += writer.getOnDiskBytesWritten();
        sstables++;
        writer.close();
        writer = null;
    }
}
