/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe.tables;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

import org.apache.cassandra.concurrent.ScheduledExecutors;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.ColumnFamilyStore.RefViewFragment;
import org.apache.cassandra.db.SystemKeyspace;
import org.apache.cassandra.db.lifecycle.SSTableSet;
import org.apache.cassandra.db.lifecycle.View;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.schema.SchemaConstants;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.service.StorageService;
import org.apache.cassandra.utils.FBUtilities;
import org.apache.cassandra.utils.Pair;

import io.cassiterite.engine.RangeSizes;
import io.cassiterite.memtable.CassiteriteMemtable;
import io.cassiterite.memtable.EngineTables;
import io.cassiterite.node.EngineTable;

import static io.cassiterite.engine.BackgroundWork.attempt;

/**
 * Corrects system.size_estimates and system.table_estimates for engine tables, from which analytic jobs make their
 * splits: Cassandra's own recorder counts sstables only, and writes zeros. The recorder runs on one thread; after each
 * of its runs the same thread makes the correction. Safe from any thread.
 */
public final class SizeEstimates
{
    private static final TableId TABLE_ESTIMATES = TableId.forSystemTable(SchemaConstants.SYSTEM_KEYSPACE_NAME,
                                                                          SystemKeyspace.TABLE_ESTIMATES);
    private static final String RECORDER_THREAD_PREFIX = "OptionalTasks";
    private static final AtomicBoolean QUEUED = new AtomicBoolean();

    private static volatile Thread corrector;

    private SizeEstimates()
    {
    }

    /** To be called for every write to any table; cheap. */
    public static void written(TableId table)
    {
        if (table.equals(TABLE_ESTIMATES) && isRecorder(Thread.currentThread()) && QUEUED.compareAndSet(false, true))
            ScheduledExecutors.optionalTasks.execute(SizeEstimates::correct);
    }

    /** False for a replay of the commit log, and for writes of this class. */
    private static boolean isRecorder(Thread thread)
    {
        return thread != corrector && thread.getName().startsWith(RECORDER_THREAD_PREFIX);
    }

    /** Returns when all that was recorded before is corrected. */
    public static void await()
    {
        FBUtilities.waitOnFuture(ScheduledExecutors.optionalTasks.submit(() -> {}));
    }

    private static void correct()
    {
        QUEUED.set(false);
        corrector = Thread.currentThread();
        try
        {
            // each of them, also where another table fails
            for (ColumnFamilyStore cfs : EngineTable.open())
                attempt("Writing the size estimates of " + cfs.metadata(), () -> correct(cfs));
        }
        finally
        {
            corrector = null;
        }
    }

    private static void correct(ColumnFamilyStore cfs)
    {
        String keyspace = cfs.metadata.keyspace;
        String table = cfs.metadata.name;
        Map<Range<Token>, Pair<Long, Long>> primary = estimate(cfs, StorageService.instance.getPrimaryRanges(keyspace));
        SystemKeyspace.updateSizeEstimates(keyspace, table, primary);
        SystemKeyspace.updateTableEstimates(keyspace, table, SystemKeyspace.TABLE_ESTIMATES_TYPE_PRIMARY, primary);
        SystemKeyspace.updateTableEstimates(keyspace, table, SystemKeyspace.TABLE_ESTIMATES_TYPE_LOCAL_PRIMARY,
                                            estimate(cfs, StorageService.instance.getLocalPrimaryRange()));
    }

    /** Per range: how many partitions, and their mean size in bytes, uncompressed as sstables count it. */
    private static Map<Range<Token>, Pair<Long, Long>> estimate(ColumnFamilyStore cfs, Collection<Range<Token>> ranges)
    {
        Map<Range<Token>, Pair<Long, Long>> estimates = new HashMap<>();
        CassiteriteMemtable memtable = EngineTables.find(cfs.metadata.id);
        if (memtable == null)
            return estimates;
        List<Range<Token>> parts = new ArrayList<>();
        ranges.forEach(range -> parts.addAll(range.unwrap()));
        RangeSizes sizes = RangeSizes.of(memtable.table(), parts);
        try (RefViewFragment view = cfs.selectAndReference(View.selectFunction(SSTableSet.CANONICAL)))
        {
            for (Range<Token> part : parts)
                estimates.put(part, estimate(sizes.partitions(part), sizes.dataBytes(part), view.sstables, part));
        }
        return estimates;
    }

    /** Of all partitions that the node has of a table, uncompressed; 0 for an empty table. */
    public static long meanPartitionBytes(ColumnFamilyStore cfs)
    {
        Token minimum = cfs.getPartitioner().getMinimumToken();
        Range<Token> ring = new Range<>(minimum, minimum);
        Pair<Long, Long> estimate = estimate(cfs, List.of(ring)).get(ring);
        return estimate == null ? 0 : estimate.right;
    }

    /** Adds what sstables hold beside the engine. */
    private static Pair<Long, Long> estimate(long partitions, long bytes, List<SSTableReader> sstables, Range<Token> range)
    {
        for (SSTableReader sstable : sstables)
        {
            long keys = sstable.estimatedKeysForRanges(List.of(range));
            partitions += keys;
            bytes += keys * sstable.getEstimatedPartitionSize().mean();
        }
        return Pair.create(partitions, partitions == 0 ? 0 : bytes / partitions);
    }
}
