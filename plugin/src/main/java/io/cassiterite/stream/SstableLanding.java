/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.util.Collection;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.utils.Throwables;

import io.cassiterite.engine.Table;
import io.cassiterite.index.IndexedLanding;
import io.cassiterite.memtable.CassiteriteMemtable;
import io.cassiterite.memtable.EngineTables;

/** Puts the sstables that a session has received beside the engine, from where they move into it. */
final class SstableLanding
{
    private SstableLanding()
    {
    }

    /**
     * @param add adds the sstables to the table
     * @throws IllegalStateException if the table has been dropped, or was truncated after some of them had come
     */
    static void land(ColumnFamilyStore cfs, Collection<SSTableReader> sstables, Runnable add)
    {
        IndexedLanding.land(cfs, sstables, indexed -> addTo(cfs, indexed, sstables, add));
    }

    /**
     * Under the lock that a TRUNCATE has while it removes sstables: it removes these, too, or has ended. One that begins a
     * generation meanwhile removes them.
     */
    private static boolean addTo(ColumnFamilyStore cfs, Table indexed, Collection<SSTableReader> sstables, Runnable add)
    {
        synchronized (cfs)
        {
            CassiteriteMemtable memtable = EngineTables.find(cfs.metadata.id);
            if (memtable == null || memtable.cfs() != cfs || memtable.table() == null)
                throw new IllegalStateException(cfs.metadata() + " was dropped during streaming");
            if (memtable.table() != indexed)
                return false;
            if (sstables.stream().anyMatch(memtable.sstables()::isLate))
                throw new IllegalStateException(cfs.metadata() + " was truncated during streaming: stream again what is to be there");
            add.run();
            Throwables.maybeFail(cfs.getTracker().dropSSTablesIfInvalid(null)); // the table is being dropped: it has looked before
            return true;
        }
    }
}
