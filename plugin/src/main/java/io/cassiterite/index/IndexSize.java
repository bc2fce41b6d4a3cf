/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.index;

import org.apache.cassandra.db.ColumnFamilyStore;

import io.cassiterite.engine.EngineException;
import io.cassiterite.engine.TableStats;
import io.cassiterite.memtable.CassiteriteMemtable;
import io.cassiterite.memtable.EngineTables;

/** Estimates of indexes. */
final class IndexSize
{
    private IndexSize()
    {
    }

    /** At least 1. */
    static long entriesPerValue(ColumnFamilyStore cfs, String index)
    {
        CassiteriteMemtable memtable = EngineTables.find(cfs.metadata.id);
        if (memtable == null || memtable.table() == null)
            return 1;
        try
        {
            TableStats stats = memtable.indexTable(index).stats();
            return Math.max(1, stats.estimatedKeys() / Math.max(1, stats.estimatedPartitions()));
        }
        catch (EngineException e)
        {
            return 1; // dropped meanwhile
        }
    }
}
