/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.index;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;

import com.google.common.util.concurrent.Uninterruptibles;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.Keyspace;
import org.apache.cassandra.db.compaction.CompactionInfo;
import org.apache.cassandra.db.compaction.CompactionInterruptedException;
import org.apache.cassandra.db.compaction.CompactionManager;
import org.apache.cassandra.db.compaction.OperationType;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.index.Index;
import org.apache.cassandra.index.SecondaryIndexBuilder;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.utils.TimeUUID;

import io.cassiterite.engine.Table;
import io.cassiterite.memtable.CassiteriteMemtable;
import io.cassiterite.memtable.EngineTables;
import io.cassiterite.reflect.CompactionProgress;

/**
 * Gives entries to rows that a table has already, in the engine or in sstables beside it. A full build begins when every
 * write that did not know of the index has ended (danger S9), and is repeated where rows have come without entries meanwhile.
 */
final class IndexBuild extends SecondaryIndexBuilder
{
    private static final Logger logger = LoggerFactory.getLogger(IndexBuild.class);
    private static final long BULK_LOAD_POLL_MS = 50;

    private final ColumnFamilyStore cfs;
    private volatile List<EngineIndex> indexes;
    private final Collection<Range<Token>> ranges;
    private final boolean isFull;
    private final TimeUUID id = TimeUUID.Generator.nextTimeUUID();
    private volatile RowsToIndex rows;

    private IndexBuild(ColumnFamilyStore cfs, List<EngineIndex> indexes, Collection<Range<Token>> ranges, boolean isFull)
    {
        this.cfs = cfs;
        this.indexes = indexes;
        this.ranges = ranges;
        this.isFull = isFull;
    }

    /** Of all rows; to be run once. An index whose build an operator has stopped is built again by itself from now on. */
    static IndexBuild full(ColumnFamilyStore cfs, List<EngineIndex> indexes)
    {
        indexes.forEach(index -> index.hold(false));
        return new IndexBuild(cfs, indexes, IndexedBulkLoad.everywhere(), true);
    }

    /** Of the rows in the token ranges of sstables. */
    static IndexBuild of(ColumnFamilyStore cfs, List<EngineIndex> indexes, Collection<SSTableReader> sstables)
    {
        return new IndexBuild(cfs, indexes, rangesOf(sstables), false);
    }

    static List<Range<Token>> rangesOf(Collection<SSTableReader> sstables)
    {
        List<Range<Token>> ranges = new ArrayList<>();
        for (SSTableReader sstable : sstables)
        {
            long first = sstable.getFirst().getToken().getLongValue();
            ranges.add(new Range<>(new Murmur3Partitioner.LongToken(first - 1), sstable.getLast().getToken()));
        }
        return Range.normalize(ranges);
    }

    static List<EngineIndex> engineIndexes(Collection<? extends Index> indexes)
    {
        List<EngineIndex> found = new ArrayList<>();
        for (Index index : indexes)
            if (index instanceof EngineIndex)
                found.add((EngineIndex) index);
        return found;
    }

    /** The indexes are not built again before somebody asks for it: the build is about to be stopped. */
    void hold()
    {
        logger.warn("The build of {} of {} is stopped: they answer nothing until nodetool rebuild_index, or a restart, has built them",
                    names(), cfs.metadata());
        indexes.forEach(index -> index.hold(true));
    }

    private List<String> names()
    {
        return indexes.stream().map(EngineIndex::name).collect(Collectors.toList());
    }

    /** The present generation of a table. */
    static Table tableOf(ColumnFamilyStore cfs)
    {
        CassiteriteMemtable memtable = EngineTables.find(cfs.metadata.id);
        if (memtable == null || memtable.table() == null)
            throw new IllegalStateException("this node does not keep " + cfs.metadata() + " in Cassiterite, or it has been dropped");
        return memtable.table();
    }

    @Override
    public void build()
    {
        TableBuilds builds = TableBuilds.of(cfs);
        builds.begin(isFull);
        try
        {
            while (!buildOnce())
                logger.info("The build of {} of {} begins again: others that were built with them have been dropped", names(),
                            cfs.metadata());
        }
        finally
        {
            builds.end(isFull);
        }
    }

    /** @return false if it has failed, and indexes have been dropped meanwhile, which may be why: the others are left to be built */
    private boolean buildOnce()
    {
        try
        {
            buildCreated();
            return true;
        }
        catch (RuntimeException e)
        {
            List<EngineIndex> left = DroppedMeanwhile.remaining(indexes, index -> Drops.isGone(cfs, index), isStopRequested(), e);
            logger.debug("The build of {} of {} ends: some have been dropped", names(), cfs.metadata(), e);
            if (left.isEmpty())
                forget();
            else
                indexes = left;
            return left.isEmpty();
        }
    }

    private void buildCreated()
    {
        List<EngineIndex> created = created();
        if (created.isEmpty())
        {
            forget();
            return;
        }
        indexes = created;
        // Writes that had begun without the index: those of the front door, which are in no order of Cassandra's, and its own.
        CassiteriteMemtable memtable = EngineTables.find(cfs.metadata.id);
        if (memtable != null)
            EngineTables.changes(memtable);
        Keyspace.writeOrder.awaitNewBarrier();
        if (isFull)
            buildAll();
        else
            scan(ranges, IndexBuild::waitForThroughput);
    }

    /** To Cassandra the build succeeds: without its index, it notes nothing that a later index of that name would be taken for. */
    private void forget()
    {
        for (EngineIndex index : indexes)
            if (cfs.indexManager.getIndexByName(index.name()) == index)
                cfs.indexManager.removeIndex(index.name());
    }

    /**
     * Those that the engine has now. An index that it cannot create does not fail the build of the others: it answers
     * nothing until {@link IndexWatch} has had it built. One that was dropped before its turn is not made again.
     */
    private List<EngineIndex> created()
    {
        List<EngineIndex> created = new ArrayList<>();
        RuntimeException failure = null;
        for (EngineIndex index : indexes)
        {
            if (Drops.isGone(cfs, index))
                continue;
            failure = index.ensureCreated();
            if (failure == null)
                created.add(index);
        }
        if (created.isEmpty() && failure != null)
            throw failure;
        return created;
    }

    /** Again where rows have come without entries meanwhile. */
    private void buildAll()
    {
        BulkLoads loads = TableBuilds.of(cfs).bulkLoads();
        loads.remember();
        try
        {
            IndexBuildAttempt attempt = attempt(null);
            while (!attempt.complete())
                attempt = attempt(attempt);
        }
        finally
        {
            loads.forget();
        }
    }

    /** @param former null: the first one, which reads everything */
    private IndexBuildAttempt attempt(IndexBuildAttempt former)
    {
        awaitBulkLoads();
        IndexBuildAttempt attempt = IndexBuildAttempt.begin(cfs, indexes);
        Collection<Range<Token>> scanned = former == null ? ranges : attempt.rangesSince(former);
        if (former != null)
            logger.info("Rows have come to {} beside the build of {}: it reads {} again", cfs.metadata(), names(),
                        scanned.equals(ranges) ? "the whole table" : scanned.size() + " token ranges");
        if (!attempt.isEmpty())
            scan(scanned, IndexBuild::waitForThroughput);
        return attempt;
    }

    /** A scan would have to be repeated after them. */
    private void awaitBulkLoads()
    {
        while (TableBuilds.of(cfs).bulkLoads().isAnyRunning())
        {
            checkStop();
            Uninterruptibles.sleepUninterruptibly(BULK_LOAD_POLL_MS, TimeUnit.MILLISECONDS);
        }
    }

    /** Gives entries to the rows of ranges, as fast as it can, for a caller whose turn it is. */
    static void scan(ColumnFamilyStore cfs, List<EngineIndex> indexes, Collection<Range<Token>> ranges)
    {
        new IndexBuild(cfs, indexes, ranges, false).scan(ranges, bytes -> {});
    }

    private void scan(Collection<Range<Token>> scanned, LongConsumer throttle)
    {
        for (Range<Token> range : scanned)
            for (Range<Token> part : range.unwrap())
            {
                RowsToIndex found = new RowsToIndex(cfs, indexes, part);
                rows = found;
                while (found.nextPage())
                {
                    checkStop();
                    throttle.accept(found.pageBytes());
                }
            }
    }

    /** Builds read no more than compaction_throughput, together with compactions of sstables. */
    private static void waitForThroughput(long bytes)
    {
        if (bytes > 0)
            CompactionManager.instance.getRateLimiter().acquire((int) Math.min(bytes, Integer.MAX_VALUE));
    }

    private void checkStop()
    {
        if (isStopRequested())
            throw new CompactionInterruptedException(getCompactionInfo());
    }

    /** In ten thousandths of the ring, which Cassandra shows as ranges. */
    @Override
    public CompactionInfo getCompactionInfo()
    {
        RowsToIndex present = rows;
        long done = present == null ? 0 : present.share();
        return CompactionProgress.of(cfs.metadata(), OperationType.INDEX_BUILD, id, done, RowsToIndex.SHARES, CompactionInfo.Unit.RANGES);
    }
}
