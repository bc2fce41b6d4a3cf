/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.repair;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.metrics.TopPartitionTracker;
import org.apache.cassandra.repair.NoSuchRepairSessionException;
import org.apache.cassandra.repair.ValidationPartitionIterator;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.Throwables;
import org.apache.cassandra.utils.TimeUUID;

import io.cassiterite.engine.RangeSizes;
import io.cassiterite.memtable.CassiteriteMemtable;
import io.cassiterite.memtable.SstablesBeside;

/**
 * The partitions of an engine table in some token ranges, from the engine and from its sstables, for one validation; as
 * they are now or, under a sequential repair, as they were when it took its snapshot. For one thread.
 */
final class EngineValidation extends ValidationPartitionIterator
{
    private static final Logger logger = LoggerFactory.getLogger(EngineValidation.class);

    private final ColumnFamilyStore cfs;
    private final Map<Range<Token>, Long> partitionCounts = new HashMap<>();
    /** The one opened last comes first. */
    private final List<AutoCloseable> resources = new ArrayList<>();

    private long estimatedPartitions;
    private long estimatedBytes;
    private ValidatedPartitions partitions;

    private EngineValidation(ColumnFamilyStore cfs)
    {
        this.cfs = cfs;
    }

    /** Opens everything that the validation reads; it must be closed. */
    static EngineValidation open(ColumnFamilyStore cfs, CassiteriteMemtable memtable, Collection<Range<Token>> ranges,
                                 TimeUUID parentId, TimeUUID sessionId, long nowInSec,
                                 TopPartitionTracker.Collector topPartitions)
    throws IOException, NoSuchRepairSessionException
    {
        EngineValidation validation = new EngineValidation(cfs);
        boolean opened = false;
        try
        {
            ValidatedSstables sstables;
            EngineScanner engine;
            SstablesBeside.Look look = memtable.sstables().lookAtBoth();
            try (look)
            {
                // sstables first: rows may move from them into the engine meanwhile
                sstables = validation.openSstables(ranges, parentId);
                engine = validation.openEngine(memtable, ranges, parentId);
            }
            validation.estimate(memtable, ranges, sstables);
            validation.partitions = validation.closeLater(
                new ValidatedPartitions(cfs, engine, sstables.scanners().scanners, nowInSec, topPartitions));
            logger.info("[repair #{}] parentSessionId={}: Validating about {} partitions of {} in the engine and {} sstables",
                        sessionId, parentId, validation.estimatedPartitions, cfs.metadata(), sstables.count());
            opened = true;
            return validation;
        }
        finally
        {
            if (!opened)
                validation.close();
        }
    }

    private <T extends AutoCloseable> T closeLater(T resource)
    {
        resources.add(0, resource);
        return resource;
    }

    private ValidatedSstables openSstables(Collection<Range<Token>> ranges, TimeUUID parentId)
    throws IOException, NoSuchRepairSessionException
    {
        String snapshot = parentId.toString();
        return closeLater(cfs.snapshotExists(snapshot) ? ValidatedSstables.ofSnapshot(cfs, ranges, snapshot)
                                                       : ValidatedSstables.live(cfs, ranges, parentId));
    }

    private EngineScanner openEngine(CassiteriteMemtable memtable, Collection<Range<Token>> ranges, TimeUUID parentId)
    {
        List<RangeCursor> cursors = new ArrayList<>();
        closeLater(() -> Throwables.maybeFail(Throwables.close(null, cursors)));
        TableView snapshot = RepairSnapshots.find(cfs.metadata.id, parentId.toString());
        addCursors(cursors, memtable, snapshot == null ? Range.normalize(ranges) : takeSnapshot(cursors, snapshot, ranges, parentId));
        cursors.sort(RangeCursor.BY_TOKEN);

        List<Range<Token>> parts = new ArrayList<>(cursors.size());
        cursors.forEach(cursor -> parts.add(cursor.range()));
        RangeSizes sizes = RangeSizes.of(memtable.table(), parts);
        return new EngineScanner(cfs.metadata(), cursors, parts.stream().mapToLong(sizes::bytes).toArray());
    }

    /** Adds cursors on the table as it is now. */
    private static void addCursors(List<RangeCursor> cursors, CassiteriteMemtable memtable, Collection<Range<Token>> ranges)
    {
        if (ranges.isEmpty())
            return;
        try (TableView now = TableView.open(memtable, ranges))
        {
            cursors.addAll(now.takeAll());
        }
    }

    /**
     * Adds cursors of the snapshot, which has one for each range of the repair, unless it was validated or released before.
     *
     * @return the ranges without one
     */
    private List<Range<Token>> takeSnapshot(List<RangeCursor> cursors, TableView snapshot, Collection<Range<Token>> ranges,
                                            TimeUUID parentId)
    {
        List<Range<Token>> missing = new ArrayList<>();
        for (Range<Token> range : ranges)
            for (Range<Token> part : range.unwrap())
            {
                RangeCursor cursor = snapshot.take(part);
                if (cursor != null)
                    cursors.add(cursor);
                else
                    missing.add(part);
            }
        if (!missing.isEmpty())
            logger.info("[repair #{}] {} of {} are not in the repair's snapshot (any more) and are validated as they are now",
                        parentId, missing, cfs.metadata());
        return missing;
    }

    /** They determine the depth of the Merkle trees: with an estimate of 0, one differing row would stream the whole range. */
    private void estimate(CassiteriteMemtable memtable, Collection<Range<Token>> ranges, ValidatedSstables sstables)
    {
        RangeSizes sizes = RangeSizes.of(memtable.table(), ranges);
        estimatedBytes = sstables.bytes();
        for (Range<Token> range : ranges)
        {
            long count = sizes.partitions(range) + sstables.partitions(range);
            partitionCounts.put(range, count);
            estimatedPartitions += count;
            estimatedBytes += sizes.bytes(range);
        }
    }

    @Override
    public TableMetadata metadata()
    {
        return cfs.metadata();
    }

    @Override
    public boolean hasNext()
    {
        return partitions.hasNext();
    }

    @Override
    public UnfilteredRowIterator next()
    {
        return partitions.next();
    }

    @Override
    public long getEstimatedBytes()
    {
        return estimatedBytes;
    }

    @Override
    public long estimatedPartitions()
    {
        return estimatedPartitions;
    }

    @Override
    public long getBytesRead()
    {
        return partitions.bytesRead();
    }

    @Override
    public Map<Range<Token>, Long> getRangePartitionCounts()
    {
        return partitionCounts;
    }

    @Override
    public void close()
    {
        List<AutoCloseable> open = new ArrayList<>(resources);
        resources.clear();
        Throwables.maybeFail(Throwables.close(null, open));
    }
}
