/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.move;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.schema.TableId;

import io.cassiterite.memtable.CassiteriteMemtable;
import io.cassiterite.memtable.EngineTables;

/**
 * Keeps deletions of tables whose rows leave the engine. A compaction knows the sstables that lie over its own since it began: one
 * that has come since with rows of the engine is none of them, and what hides its rows would be purged. So nothing is purged
 * from before the first rows leave until compactions that ran when the last ones did have ended. For the mover's thread.
 */
final class PurgeFence
{
    private final Map<TableId, Fenced> tables = new HashMap<>();

    private static final class Fenced
    {
        private final ColumnFamilyStore cfs;
        /** What was being compacted when the fence was no longer needed; null while it is. */
        private Set<SSTableReader> compacting;

        private Fenced(ColumnFamilyStore cfs)
        {
            this.cfs = cfs;
        }
    }

    /** Nothing of the table is purged when this returns, in sstables and in the engine. */
    void raise(CassiteriteMemtable memtable)
    {
        ColumnFamilyStore cfs = memtable.cfs();
        Fenced fenced = tables.get(cfs.metadata.id);
        if (fenced != null && fenced.cfs == cfs)
            fenced.compacting = null;
        else if (!cfs.getNeverPurgeTombstones()) // else somebody has set it, who keeps it
            tables.put(cfs.metadata.id, new Fenced(cfs));
        cfs.setNeverPurgeTombstones(true);
        memtable.catchUp();
    }

    /** Takes the fences away that nobody needs any more. To be called now and then. */
    void lower(Set<TableId> leaving)
    {
        tables.entrySet().removeIf(table -> !leaving.contains(table.getKey()) && lower(table.getKey(), table.getValue()));
    }

    private static boolean lower(TableId id, Fenced fenced)
    {
        Set<SSTableReader> compacting = fenced.cfs.getTracker().getCompacting();
        if (fenced.compacting == null)
            fenced.compacting = new HashSet<>(compacting);
        fenced.compacting.retainAll(compacting);
        if (!fenced.compacting.isEmpty())
            return false;
        fenced.cfs.setNeverPurgeTombstones(false);
        CassiteriteMemtable memtable = EngineTables.find(id);
        if (memtable != null)
            memtable.catchUp();
        return true;
    }
}
