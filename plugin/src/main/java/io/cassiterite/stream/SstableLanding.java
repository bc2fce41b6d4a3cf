/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.util.Collection;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.utils.Throwables;

import io.cassiterite.index.IndexedLanding;

/** Puts the sstables that a session has received beside the engine, from where they move into it. */
final class SstableLanding
{
    private SstableLanding()
    {
    }

    /**
     * @param add adds the sstables to the table
     * @throws IllegalStateException if the table has been dropped or truncated since
     */
    static void land(ColumnFamilyStore cfs, BegunGeneration begun, Collection<SSTableReader> sstables, Runnable add)
    {
        begun.ensureCurrent();
        IndexedLanding.land(cfs, begun.table(), sstables, () -> addTo(cfs, begun, add));
    }

    /**
     * Under the lock that a TRUNCATE has while it removes sstables. One that begins a generation after the look has yet to remove
     * them, and takes these, too.
     */
    private static void addTo(ColumnFamilyStore cfs, BegunGeneration begun, Runnable add)
    {
        synchronized (cfs)
        {
            begun.ensureCurrent();
            add.run();
            Throwables.maybeFail(cfs.getTracker().dropSSTablesIfInvalid(null)); // the table is being dropped: it has looked before
        }
    }
}
