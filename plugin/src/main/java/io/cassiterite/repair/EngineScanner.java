/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.repair;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;

import org.apache.cassandra.db.partitions.AbstractUnfilteredPartitionIterator;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.io.sstable.ISSTableScanner;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.Throwables;

/**
 * The engine's part of a validation, in the form in which Cassandra's compactions read sstables: merging and purging
 * are Cassandra's own code. The position in the ring gives the progress.
 */
final class EngineScanner extends AbstractUnfilteredPartitionIterator implements ISSTableScanner
{
    private final TableMetadata metadata;
    private final List<RangeCursor> cursors;
    private final long[] bytes;
    private final long lengthBytes;

    private int current;
    private long passedBytes;
    private volatile long scannedBytes;

    /**
     * @param cursors in the order of their tokens, without overlaps; the scanner also closes them
     * @param bytes   estimated bytes in each of them
     */
    EngineScanner(TableMetadata metadata, Collection<RangeCursor> cursors, long[] bytes)
    {
        this.metadata = metadata;
        this.cursors = new ArrayList<>(cursors);
        this.bytes = bytes;
        long sum = 0;
        for (long one : bytes)
            sum += one;
        lengthBytes = sum;
    }

    @Override
    public TableMetadata metadata()
    {
        return metadata;
    }

    @Override
    public boolean hasNext()
    {
        while (current < cursors.size())
        {
            if (cursors.get(current).hasNext())
                return true;
            cursors.get(current).close();
            passedBytes += bytes[current];
            scannedBytes = passedBytes;
            current++;
        }
        return false;
    }

    @Override
    public UnfilteredRowIterator next()
    {
        RangeCursor cursor = cursors.get(current);
        UnfilteredRowIterator partition = cursor.next();
        scannedBytes = passedBytes + (long) (bytes[current] * cursor.share(partition.partitionKey().getToken()));
        return partition;
    }

    @Override
    public long getLengthInBytes()
    {
        return lengthBytes;
    }

    @Override
    public long getCompressedLengthInBytes()
    {
        return lengthBytes;
    }

    @Override
    public long getCurrentPosition()
    {
        return scannedBytes;
    }

    @Override
    public long getBytesScanned()
    {
        return scannedBytes;
    }

    @Override
    public Set<SSTableReader> getBackingSSTables()
    {
        return Set.of();
    }

    @Override
    public void close()
    {
        Throwables.maybeFail(Throwables.close(null, cursors));
    }
}
