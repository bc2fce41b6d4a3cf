/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.repair;

import java.io.IOException;
import java.util.Collection;
import java.util.List;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.compaction.AbstractCompactionStrategy.ScannerList;
import org.apache.cassandra.db.repair.CassandraValidationIterator;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.repair.NoSuchRepairSessionException;
import org.apache.cassandra.repair.SharedContext;
import org.apache.cassandra.utils.TimeUUID;
import org.apache.cassandra.utils.concurrent.Refs;

/**
 * The sstables that a validation of an engine table reads beside the engine: those from before the table moved to it, or
 * imported ones; mostly there are none. Referenced until closed.
 */
final class ValidatedSstables implements AutoCloseable
{
    private final Collection<Range<Token>> ranges;
    private final Refs<SSTableReader> sstables;
    private final ScannerList scanners;

    private ValidatedSstables(Collection<Range<Token>> ranges, Refs<SSTableReader> sstables, ScannerList scanners)
    {
        this.ranges = ranges;
        this.sstables = sstables;
        this.scanners = scanners;
    }

    /** Live sstables, or those of them that the kind of preview selects. */
    static ValidatedSstables live(ColumnFamilyStore cfs, Collection<Range<Token>> ranges, TimeUUID parentId)
    throws NoSuchRepairSessionException
    {
        // rows of a stock memtable that the table has just had are not in an sstable yet
        cfs.forceBlockingFlush(ColumnFamilyStore.FlushReason.INTERNALLY_FORCED);
        return scan(cfs, ranges, CassandraValidationIterator.getSSTablesToValidate(cfs, SharedContext.Global.instance, ranges,
                                                                                   parentId, false));
    }

    /** Those of a snapshot. */
    static ValidatedSstables ofSnapshot(ColumnFamilyStore cfs, Collection<Range<Token>> ranges, String name) throws IOException
    {
        return scan(cfs, ranges, cfs.getSnapshotSSTableReaders(name));
    }

    private static ValidatedSstables scan(ColumnFamilyStore cfs, Collection<Range<Token>> ranges, Refs<SSTableReader> sstables)
    {
        boolean opened = false;
        try
        {
            ScannerList scanners = cfs.getCompactionStrategyManager().getScanners(sstables, ranges);
            opened = true;
            return new ValidatedSstables(ranges, sstables, scanners);
        }
        finally
        {
            if (!opened)
                sstables.release();
        }
    }

    ScannerList scanners()
    {
        return scanners;
    }

    int count()
    {
        return sstables.size();
    }

    long partitions(Range<Token> range)
    {
        long partitions = 0;
        for (SSTableReader sstable : sstables)
            partitions += sstable.estimatedKeysForRanges(List.of(range));
        return partitions;
    }

    long bytes()
    {
        long bytes = 0;
        for (SSTableReader sstable : sstables)
            for (SSTableReader.PartitionPositionBounds part : sstable.getPositionsForRanges(ranges))
                bytes += part.upperPosition - part.lowerPosition;
        return bytes;
    }

    @Override
    public void close()
    {
        try
        {
            scanners.close();
        }
        finally
        {
            sstables.release();
        }
    }
}
