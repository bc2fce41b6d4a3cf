/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.index;

import java.util.ArrayList;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.compaction.CompactionInfo;
import org.apache.cassandra.db.compaction.CompactionManager;
import org.apache.cassandra.utils.Clock;

import io.cassiterite.engine.EngineException;
import io.cassiterite.engine.Turns;
import io.cassiterite.memtable.CassiteriteMemtable;
import io.cassiterite.memtable.EngineTables;

import static io.cassiterite.engine.BackgroundWork.attempt;

/**
 * Has an index built again that lacks entries, as after a crash while files were taken in, or whose build has failed. A
 * query by such an index fails until then.
 */
public final class IndexWatch
{
    private static final Logger logger = LoggerFactory.getLogger(IndexWatch.class);
    private static final long RETRY_NANOS = TimeUnit.MINUTES.toNanos(1);

    private static final ExecutorService THREAD = Executors.newSingleThreadExecutor(task -> {
        Thread thread = new Thread(task, "cassiterite-index-repair");
        thread.setDaemon(true);
        return thread;
    });

    private static final Map<EngineIndex, Long> TRIED = new WeakHashMap<>();

    private static final Turns TURNS = new Turns();

    private IndexWatch()
    {
    }

    /** Looks at the indexes of some tables, in their turns; for the maintenance thread. */
    public static synchronized void check()
    {
        for (CassiteriteMemtable memtable : TURNS.of(new ArrayList<>(EngineTables.all())))
        {
            ColumnFamilyStore cfs = memtable.cfs();
            // A memtable is there before its table has the manager, in the table's constructor.
            if (cfs == null || memtable.table() == null || cfs.indexManager == null || !cfs.indexManager.hasIndexes())
                continue;
            // each of them, also where another table fails
            attempt("Looking after the indexes of " + cfs.metadata(), () -> check(cfs, memtable));
        }
    }

    private static void check(ColumnFamilyStore cfs, CassiteriteMemtable memtable)
    {
        if (Drops.isGone(cfs))
            return;
        for (EngineIndex index : IndexBuild.engineIndexes(cfs.indexManager.listIndexes()))
            if (needsBuild(cfs, memtable, index))
                rebuild(cfs, index);
    }

    /**
     * Called before an operator stops builds, which are not to begin again by themselves then.
     *
     * @param id as {@code nodetool compactionstats} shows it; null for all builds
     */
    public static void holdBuilds(String id)
    {
        for (CompactionInfo.Holder running : CompactionManager.instance.active.getCompactions())
            if (running instanceof IndexBuild && (id == null || running.getCompactionInfo().getTaskId().toString().equals(id)))
                ((IndexBuild) running).hold();
    }

    private static boolean needsBuild(ColumnFamilyStore cfs, CassiteriteMemtable memtable, EngineIndex index)
    {
        if (index.isHeld() || cfs.indexManager.isIndexBuilding(index.name()) || TableBuilds.of(cfs).hasFull())
            return false;
        if (index.isCreated() && isDropped(memtable, index))
            return false;
        if (index.isQueryable() && index.isUpToDate(memtable.table()))
        {
            TRIED.remove(index);
            return false;
        }
        if (Drops.isGone(cfs, index)) // asked last: an index that is being dropped answers nothing, and has been taken out before
            return false;
        Long tried = TRIED.get(index);
        return tried == null || Clock.Global.nanoTime() - tried > RETRY_NANOS;
    }

    /** Or its generation is gone: the next look finds the one that follows. */
    private static boolean isDropped(CassiteriteMemtable memtable, EngineIndex index)
    {
        try
        {
            return !memtable.table().indexNames().contains(index.name());
        }
        catch (EngineException e)
        {
            if (e.kind() == EngineException.Kind.CLOSED)
                return true;
            throw e;
        }
    }

    private static void rebuild(ColumnFamilyStore cfs, EngineIndex index)
    {
        TRIED.put(index, Clock.Global.nanoTime());
        logger.warn("Index {} of {} lacks entries; it is built again, and answers nothing until then", index.name(), cfs.metadata());
        THREAD.execute(() -> {
            try
            {
                if (!Drops.isGone(cfs, index) && !cfs.indexManager.isIndexBuilding(index.name()))
                    cfs.indexManager.rebuildIndexesBlocking(Set.of(index.name()));
            }
            catch (RuntimeException | Error e)
            {
                if (Drops.isGone(cfs, index))
                    return;
                logger.error("Index {} of {} could not be built; this is tried again", index.name(), cfs.metadata(), e);
            }
        });
    }
}
