/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.index;

import java.util.List;

import org.apache.cassandra.db.ColumnFamilyStore;

import io.cassiterite.engine.EngineException;
import io.cassiterite.engine.Table;

/** One scan that gives entries to rows: whether it has met all of them. For one thread. */
final class IndexBuildAttempt
{
    private final ColumnFamilyStore cfs;
    private final List<EngineIndex> indexes;
    private final Table table;
    private final long missed;
    private final long ended;

    private IndexBuildAttempt(ColumnFamilyStore cfs, List<EngineIndex> indexes, Table table, long missed, long ended)
    {
        this.cfs = cfs;
        this.indexes = indexes;
        this.table = table;
        this.missed = missed;
        this.ended = ended;
    }

    /** To be called before the scan. */
    static IndexBuildAttempt begin(ColumnFamilyStore cfs, List<EngineIndex> indexes)
    {
        long ended = TableBuilds.of(cfs).bulkLoads().ended();
        while (true)
        {
            Table table = IndexBuild.tableOf(cfs);
            try
            {
                return new IndexBuildAttempt(cfs, indexes, table, table.indexState(indexes.get(0).name()).missed, ended);
            }
            catch (EngineException e)
            {
                throwUnlessTruncated(cfs, table, e);
            }
        }
    }

    /**
     * Marks the indexes complete, durably, unless rows have come without entries, or the table has been truncated, since
     * {@link #begin}. A load that begins after this has looked is noted by the engine, which refuses then.
     */
    boolean complete()
    {
        if (!TableBuilds.of(cfs).bulkLoads().noneSince(ended))
            return false;
        boolean complete = true;
        try
        {
            for (EngineIndex index : indexes)
                complete &= table.completeIndex(index.name(), missed);
        }
        catch (EngineException e)
        {
            throwUnlessTruncated(cfs, table, e);
            return false;
        }
        return complete;
    }

    private static void throwUnlessTruncated(ColumnFamilyStore cfs, Table table, EngineException e)
    {
        if (e.kind() != EngineException.Kind.CLOSED || IndexBuild.tableOf(cfs) == table)
            throw e;
    }
}
