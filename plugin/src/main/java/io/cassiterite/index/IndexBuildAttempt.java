/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.index;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;

import io.cassiterite.engine.EngineException;
import io.cassiterite.engine.IndexState;
import io.cassiterite.engine.Table;

/** One scan that gives entries to rows: whether it has met all of them. For one thread. */
final class IndexBuildAttempt
{
    private final ColumnFamilyStore cfs;
    private final Table table;
    private final Map<EngineIndex, IndexState> before;
    private final long ended;

    private IndexBuildAttempt(ColumnFamilyStore cfs, Table table, Map<EngineIndex, IndexState> before, long ended)
    {
        this.cfs = cfs;
        this.table = table;
        this.before = before;
        this.ended = ended;
    }

    /** To be called before the scan. Indexes that have been dropped are left out. */
    static IndexBuildAttempt begin(ColumnFamilyStore cfs, List<EngineIndex> indexes)
    {
        long ended = TableBuilds.of(cfs).bulkLoads().ended();
        while (true)
        {
            Table table = IndexBuild.tableOf(cfs);
            Map<EngineIndex, IndexState> states = states(table, indexes);
            if (IndexBuild.tableOf(cfs) == table)
                return new IndexBuildAttempt(cfs, table, states, ended);
        }
    }

    /** Whether all have been dropped. */
    boolean isEmpty()
    {
        return before.isEmpty();
    }

    /** Of those that a generation has. */
    static Map<EngineIndex, IndexState> states(Table table, List<EngineIndex> indexes)
    {
        Map<EngineIndex, IndexState> states = new LinkedHashMap<>();
        for (EngineIndex index : indexes)
        {
            try
            {
                states.put(index, table.indexState(index.name()));
            }
            catch (EngineException e)
            {
                if (e.kind() != EngineException.Kind.CLOSED)
                    throw e;
            }
        }
        return states;
    }

    /**
     * Marks the indexes complete, durably, unless rows have come without entries, or the table has been truncated, since
     * {@link #begin}. A load that begins after this has looked is noted by the engine, which refuses then.
     */
    boolean complete()
    {
        return TableBuilds.of(cfs).bulkLoads().ifNoneSince(ended, this::completeAll) && IndexBuild.tableOf(cfs) == table;
    }

    private boolean completeAll()
    {
        boolean complete = true;
        try
        {
            for (Map.Entry<EngineIndex, IndexState> index : before.entrySet())
                complete &= table.completeIndex(index.getKey().number(), index.getValue());
        }
        catch (EngineException e)
        {
            if (e.kind() != EngineException.Kind.CLOSED || IndexBuild.tableOf(cfs) == table)
                throw e;
            return false;
        }
        return complete;
    }

    /**
     * Where rows without entries may be after the scan of a former attempt of the same build: in the bulk loads between the
     * two, unless there is no telling.
     */
    Collection<Range<Token>> rangesSince(IndexBuildAttempt former)
    {
        if (table != former.table || before.keySet().stream().anyMatch(index -> hasMissedWrites(index, former)))
            return IndexedBulkLoad.everywhere();
        return TableBuilds.of(cfs).bulkLoads().rangesBetween(former.ended, ended);
    }

    private boolean hasMissedWrites(EngineIndex index, IndexBuildAttempt former)
    {
        IndexState state = former.before.get(index);
        return state == null || state.missedWrites != before.get(index).missedWrites;
    }
}
