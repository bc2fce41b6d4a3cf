/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.move;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.SerializationHeader;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.io.sstable.Descriptor;
import org.apache.cassandra.io.sstable.SSTableTxnWriter;
import org.apache.cassandra.io.util.File;
import org.apache.cassandra.service.ActiveRepairService;

/**
 * Partitions in their order, written to sstables of a bounded size. Each sstable is a transaction of its own: after a crash it is
 * there as a whole, or not. Nothing is purged. For one thread; must be closed.
 */
final class SstableSeries implements AutoCloseable
{
    /** Compaction strategies expect sstables much smaller than the table. */
    static final long SSTABLE_BYTES = 1L << 30;

    private final ColumnFamilyStore cfs;
    private final SerializationHeader header;
    private final Supplier<File> folder;
    private final long sstableBytes;
    private final long partitionsOfOne;
    private final List<Descriptor> complete = new ArrayList<>();
    private Descriptor present;
    private SSTableTxnWriter writer;
    private long bytes;

    /**
     * @param header       has all columns of the partitions
     * @param folder       of the next sstable
     * @param sstableBytes an sstable ends behind the partition with which it has so many, before compression
     * @param partitions   of all sstables, an estimate; filters and summaries are sized by it
     * @param bytes        of all sstables, an estimate
     */
    SstableSeries(ColumnFamilyStore cfs, SerializationHeader header, Supplier<File> folder, long sstableBytes, long partitions, long bytes)
    {
        this.cfs = cfs;
        this.header = header;
        this.folder = folder;
        this.sstableBytes = sstableBytes;
        this.partitionsOfOne = SstableSizes.partitionsOfOne(partitions, sstableBytes, bytes);
    }

    void append(UnfilteredRowIterator partition)
    {
        if (partition.isEmpty())
            return;
        if (writer == null)
            open();
        writer.append(partition);
        if (writer.getFilePointer() >= sstableBytes)
            finish();
    }

    private void open()
    {
        present = cfs.newSSTableDescriptor(folder.get());
        writer = SSTableTxnWriter.create(cfs.metadata, present, partitionsOfOne, ActiveRepairService.UNREPAIRED_SSTABLE,
                                         ActiveRepairService.NO_PENDING_REPAIR, false, header, cfs.indexManager.listIndexGroups(), cfs);
    }

    /** Returns when all that was appended is on the device. */
    void finish()
    {
        if (writer == null)
            return;
        writer.finish(false);
        bytes += writer.getOnDiskBytesWritten();
        complete.add(present);
        writer.close();
        writer = null;
    }

    /** Those that are complete. */
    int sstables()
    {
        return complete.size();
    }

    /** Deletes the sstables that are complete, and nothing else in their folders. */
    void delete()
    {
        for (Descriptor descriptor : complete)
            descriptor.getFormat().delete(descriptor);
    }

    /** Of all sstables so far, compressed. */
    long bytes()
    {
        return bytes + (writer == null ? 0 : writer.getOnDiskBytesWritten());
    }

    /** Removes the sstable that is not complete. */
    @Override
    public void close()
    {
        if (writer != null)
            writer.close(); // aborts
        writer = null;
    }
}
