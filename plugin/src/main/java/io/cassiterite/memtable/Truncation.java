/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.util.concurrent.atomic.AtomicReference;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.Keyspace;
import org.apache.cassandra.io.util.File;

import io.cassiterite.engine.Table;

/**
 * What TRUNCATE does to one memtable: the snapshots that it owes, of this generation's rows and of those before, and the
 * generation that it leaves for them. Thread-safe.
 */
final class Truncation
{
    private static final String PRECAUTION_PREFIX = "truncating";

    private final ColumnFamilyStore cfs;
    private final Table table;
    private final AtomicReference<TruncatedTable> before;
    private volatile boolean snapshotWanted;
    private volatile File precaution;
    private volatile TruncatedTable replaced;

    /**
     * @param cfs    the table's store, null if something else owns the memtable
     * @param table  the memtable's generation, null if the table is being dropped
     * @param before the generation before this one, while TRUNCATE wants a snapshot of it; or null
     */
    Truncation(ColumnFamilyStore cfs, Table table, TruncatedTable before)
    {
        this.cfs = cfs;
        this.table = table;
        this.before = new AtomicReference<>(before);
    }

    void begin()
    {
        snapshotAsPrecaution();
        snapshotWanted = true;
    }

    /**
     * Saves the rows before TRUNCATE removes them, in case of a crash or a full disk. What is written while TRUNCATE
     * runs is not in this snapshot. The one that TRUNCATE takes at its end has everything, and replaces it.
     */
    private synchronized void snapshotAsPrecaution()
    {
        if (table == null || cfs == null)
            return;
        String name = Keyspace.getTimestampedSnapshotNameWithPrefix(cfs.name, PRECAUTION_PREFIX);
        File folder = SnapshotLists.folder(cfs, name);
        table.snapshot(folder.absolutePath());
        TruncatedTable.clear(precaution);
        precaution = folder.parent();
    }

    /**
     * TRUNCATE has failed, and one without a snapshot may follow. The precaution stays: the engine may have noted on the
     * device that the table is empty, and find it so at the next start.
     */
    void fail()
    {
        snapshotWanted = false;
    }

    /** Takes the snapshots that TRUNCATE owes; false if there are none. */
    boolean takeSnapshots(File folder)
    {
        TruncatedTable owed = before.getAndSet(null);
        if (owed == null)
            return false;
        try
        {
            owed.saveTo(folder);
            return true;
        }
        catch (Throwable t)
        {
            // this TRUNCATE fails; the next one must find the rows
            before.compareAndSet(null, owed);
            throw t;
        }
    }

    /** Records that another generation follows; returns what that one must retain for a snapshot, or null. */
    TruncatedTable replace()
    {
        TruncatedTable unsaved = before.getAndSet(null);
        replaced = new TruncatedTable(table, snapshotWanted, unsaved, precaution);
        return snapshotWanted ? replaced : unsaved;
    }

    boolean isReplaced()
    {
        return replaced != null;
    }

    boolean owesSnapshots()
    {
        return before.get() != null;
    }

    /** The memtable is discarded: the snapshots are not needed any more. */
    void discard()
    {
        TruncatedTable owed = before.getAndSet(null);
        if (owed != null)
            owed.forgetUnsaved();
        if (replaced != null)
            replaced.release();
    }
}
