/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.repair;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongPredicate;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.compaction.CompactionController;
import org.apache.cassandra.db.compaction.CompactionIterator;
import org.apache.cassandra.db.compaction.CompactionManager;
import org.apache.cassandra.db.compaction.OperationType;
import org.apache.cassandra.db.repair.CassandraValidationIterator;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.io.sstable.ISSTableScanner;
import org.apache.cassandra.metrics.TopPartitionTracker;
import org.apache.cassandra.utils.TimeUUID;

/**
 * Partitions as a validation sees them: merged, purged and counted by Cassandra's own compaction code, set up as
 * {@link CassandraValidationIterator} sets it up (read there: Cassandra 5.0.9), so that digests are those of a node that
 * has the same data in sstables. For one thread.
 */
final class ValidatedPartitions implements AutoCloseable
{
    private final CompactionController controller;
    private final CompactionIterator partitions;

    /**
     * @param engine   the engine's part; not closed here
     * @param sstables scanners of the table's sstables; not closed here
     */
    ValidatedPartitions(ColumnFamilyStore cfs, ISSTableScanner engine, List<ISSTableScanner> sstables, long nowInSec,
                        TopPartitionTracker.Collector topPartitions)
    {
        List<ISSTableScanner> scanners = new ArrayList<>(sstables);
        scanners.add(engine);
        controller = new PurgingController(cfs, CassandraValidationIterator.getDefaultGcBefore(cfs, nowInSec));
        partitions = new CompactionIterator(OperationType.VALIDATION, scanners, controller, nowInSec,
                                            TimeUUID.Generator.nextTimeUUID(), CompactionManager.instance.active, topPartitions);
    }

    boolean hasNext()
    {
        return partitions.hasNext();
    }

    UnfilteredRowIterator next()
    {
        return partitions.next();
    }

    long bytesRead()
    {
        return partitions.getBytesRead();
    }

    @Override
    public void close()
    {
        try
        {
            partitions.close();
        }
        finally
        {
            controller.close();
        }
    }

    /** Purges all that gc_grace allows, as if no data were elsewhere: digests must not depend on when a node last compacted. */
    private static final class PurgingController extends CompactionController
    {
        private PurgingController(ColumnFamilyStore cfs, long gcBefore)
        {
            super(cfs, null, gcBefore);
        }

        @Override
        public LongPredicate getPurgeEvaluator(DecoratedKey key)
        {
            return timestamp -> true;
        }
    }
}
