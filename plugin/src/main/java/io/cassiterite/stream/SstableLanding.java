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
     * @param begunWith the generation that the session has found when it began; null if the table was being dropped
     * @param add       adds the sstables to the table
     * @throws IllegalStateException if the table has been dropped or truncated since
     */
    static void land(ColumnFamilyStore cfs, Table begunWith, Collection<SSTableReader> sstables, Runnable add)
    {
        ensureSame(cfs, begunWith);
        IndexedLanding.land(cfs, begunWith, sstables, () -> addTo(cfs, begunWith, add));
    }

    /**
     * Under the lock that a TRUNCATE has while it removes sstables. One that begins a generation after the look has yet to remove
     * them, and takes these, too.
     */
    private static void addTo(ColumnFamilyStore cfs, Table begunWith, Runnable add)
    {
        synchronized (cfs)
        {
            ensureSame(cfs, begunWith);
            add.run();
            Throwables.maybeFail(cfs.getTracker().dropSSTablesIfInvalid(null)); // the table is being dropped: it has looked before
        }
    }

    /** What a peer has sent may be older than the TRUNCATE. */
    static void ensureSame(ColumnFamilyStore cfs, Table begunWith)
    {
        CassiteriteMemtable memtable = EngineTables.find(cfs.metadata.id);
        if (begunWith == null || memtable == null || memtable.cfs() != cfs || memtable.table() == null)
            throw new IllegalStateException(cfs.metadata() + " was dropped during streaming");
        if (memtable.table() != begunWith)
            throw new IllegalStateException(cfs.metadata() + " was truncated during streaming: stream again what is to be there");
    }
}
