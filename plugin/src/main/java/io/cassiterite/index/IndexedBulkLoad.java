/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.index;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.io.FSError;
import org.apache.cassandra.utils.JVMStabilityInspector;

import io.cassiterite.engine.IndexState;

/**
 * Rows that come as files: the engine notes durably, before it takes them, that the indexes lack their entries; these
 * are made right after. In between a query may miss such rows, as Cassandra's may while it builds an index of streamed
 * sstables. Where that fails an index answers nothing until {@link IndexWatch} has had it built again.
 */
public final class IndexedBulkLoad
{
    private static final Logger logger = LoggerFactory.getLogger(IndexedBulkLoad.class);
    private static final Token FIRST = Murmur3Partitioner.instance.getMinimumToken();

    private IndexedBulkLoad()
    {
    }

    /** The whole ring. */
    public static Collection<Range<Token>> everywhere()
    {
        return List.of(new Range<>(FIRST, FIRST));
    }

    /**
     * Takes rows in, and gives them entries.
     *
     * @param ranges where the rows are
     * @param load   takes them in; its failure is the caller's
     */
    public static void take(ColumnFamilyStore cfs, Collection<Range<Token>> ranges, Runnable load)
    {
        TableBuilds builds = TableBuilds.of(cfs);
        BulkLoads loads = builds.bulkLoads();
        if (loads.beginUnless(cfs.indexManager::hasIndexes))
        {
            // an index that is made from now on waits for this
            runBegun(loads, ranges, load);
            return;
        }
        builds.begin(false);
        try
        {
            takeAndIndex(cfs, loads, ranges, load);
        }
        finally
        {
            builds.end(false);
        }
    }

    private static void runBegun(BulkLoads loads, Collection<Range<Token>> ranges, Runnable load)
    {
        try
        {
            load.run();
        }
        finally
        {
            loads.end(ranges);
        }
    }

    /** The complete indexes are those of after the load has begun: until it has ended, no build completes another one. */
    private static void takeAndIndex(ColumnFamilyStore cfs, BulkLoads loads, Collection<Range<Token>> ranges, Runnable load)
    {
        List<EngineIndex> indexes = new ArrayList<>();
        loads.begin();
        try
        {
            runBegun(loads, ranges, () -> {
                indexes.addAll(complete(cfs));
                indexes.forEach(index -> index.bulkLoading(true));
                load.run();
            });
            index(cfs, indexes, ranges);
        }
        catch (RuntimeException | FSError e) // a full device is an FSWriteError
        {
            // The engine calls them incomplete since before the load; what came of it, often nothing, is of these ranges.
            index(cfs, indexes, ranges);
            throw e;
        }
        finally
        {
            indexes.forEach(index -> index.bulkLoading(false));
        }
    }

    private static List<EngineIndex> complete(ColumnFamilyStore cfs)
    {
        List<EngineIndex> indexes = IndexBuild.engineIndexes(cfs.indexManager.listIndexes());
        Map<EngineIndex, IndexState> states = IndexBuildAttempt.states(IndexBuild.tableOf(cfs), indexes);
        indexes.removeIf(index -> !states.containsKey(index) || !states.get(index).complete);
        return indexes;
    }

    private static void index(ColumnFamilyStore cfs, List<EngineIndex> indexes, Collection<Range<Token>> ranges)
    {
        if (indexes.isEmpty())
            return;
        try
        {
            IndexBuildAttempt attempt = IndexBuildAttempt.begin(cfs, indexes);
            IndexBuild.scan(cfs, indexes, ranges);
            if (!attempt.complete())
                logger.info("More rows have come to {} meanwhile: its indexes are built again", cfs.metadata());
        }
        catch (RuntimeException | Error e)
        {
            JVMStabilityInspector.inspectThrowable(e);
            logger.error("Rows have come to {} whose index entries could not be made. Its indexes answer nothing until they have been"
                         + " built again, which begins by itself", cfs.metadata(), e);
        }
    }
}
