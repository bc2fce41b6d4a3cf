/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.move;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.Directories;
import org.apache.cassandra.db.DiskBoundaries;
import org.apache.cassandra.db.SerializationHeader;
import org.apache.cassandra.db.compaction.OperationType;
import org.apache.cassandra.db.lifecycle.LifecycleTransaction;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.io.sstable.SSTableMultiWriter;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.io.util.File;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.service.ActiveRepairService;
import org.apache.cassandra.utils.Throwables;

import io.cassiterite.memtable.CassiteriteMemtable;

/**
 * Rows of a table in new sstables, in the folders where they belong, which nobody sees before {@link #publish}. Closed without
 * that, or killed, they are gone, as those of a compaction. For one thread.
 */
final class UnseenSstables implements AutoCloseable
{
    private final ColumnFamilyStore cfs;
    private final TableMetadata metadata;
    private final CassiteriteMemtable memtable;
    private final SstableSizes sizes;
    private final long partitions;
    private final DiskBoundaries disks;
    private final LifecycleTransaction transaction = LifecycleTransaction.offline(OperationType.WRITE);
    private final List<SSTableReader> sstables = new ArrayList<>();
    private SSTableMultiWriter writer;
    private Directories.DataDirectory disk;
    private long finishedBytes;
    private boolean isPublished;

    /**
     * @param metadata with which the rows are read
     * @param sizes    of the sstables
     */
    UnseenSstables(CassiteriteMemtable memtable, TableMetadata metadata, SstableSizes sizes)
    {
        this.memtable = memtable;
        this.cfs = memtable.cfs();
        this.metadata = metadata;
        this.sizes = sizes;
        this.partitions = sizes.partitionsOfOne(memtable.partitionCount());
        this.disks = cfs.getDiskBoundaries();
    }

    /** @param partition not empty; in the order of the table */
    void append(UnfilteredRowIterator partition)
    {
        DecoratedKey key = partition.partitionKey();
        if (writer != null && (sizes.isFull(writer) || disks.getCorrectDiskForKey(key) != disk))
            finishOne();
        if (writer == null)
            writer = open(key);
        writer.append(partition);
    }

    /** All sstables are on the device. */
    void finish()
    {
        if (writer != null)
            finishOne();
    }

    /** On the device, compressed, about. */
    long bytes()
    {
        return finishedBytes + (writer == null ? 0 : writer.getOnDiskBytesWritten());
    }

    List<SSTableReader> sstables()
    {
        return sstables;
    }

    /** Makes them sstables of the table, durably. A failure after that is one of those who are told. */
    void publish()
    {
        transaction.finish();
        isPublished = true;
        if (!sstables.isEmpty())
            cfs.addSSTables(sstables);
    }

    /** @throws SstableRoom.Missing if what is being written may take no more of its disk, or of all where no disk is its own */
    void checkRoom()
    {
        if (disk == null)
            SstableRoom.check(cfs, 0);
        else
            SstableRoom.check(disk);
    }

    private SSTableMultiWriter open(DecoratedKey key)
    {
        disk = disks.getCorrectDiskForKey(key);
        checkRoom();
        File folder = disk == null ? cfs.getDirectories().getWriteableLocationAsFile(sizes.bytesOfOne())
                                   : cfs.getDirectories().getLocationForDisk(disk);
        SerializationHeader header = new SerializationHeader(true, metadata, metadata.regularAndStaticColumns(),
                                                             memtable.statistics().encoding());
        return cfs.createSSTableMultiWriter(cfs.newSSTableDescriptor(folder), partitions, ActiveRepairService.UNREPAIRED_SSTABLE,
                                            ActiveRepairService.NO_PENDING_REPAIR, false, null, sizes.level(), header, transaction);
    }

    private void finishOne()
    {
        SSTableMultiWriter full = writer;
        writer = null;
        Collection<SSTableReader> finished;
        try
        {
            finished = full.finish(true);
        }
        catch (Throwable t)
        {
            Throwables.maybeFail(full.abort(t));
            throw new AssertionError(t); // unreachable: there is a failure
        }
        transaction.update(finished, false);
        sstables.addAll(finished);
        finished.forEach(sstable -> finishedBytes += sstable.onDiskLength());
    }

    @Override
    public void close()
    {
        Throwable failure = null;
        if (writer != null)
        {
            failure = writer.abort(failure);
            writer = null;
        }
        if (!isPublished)
            failure = transaction.abort(failure);
        Throwables.maybeFail(failure);
    }
}
