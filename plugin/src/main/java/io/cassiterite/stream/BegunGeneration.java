/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import org.apache.cassandra.db.ColumnFamilyStore;

import io.cassiterite.engine.Table;
import io.cassiterite.memtable.CassiteriteMemtable;
import io.cassiterite.memtable.EngineTables;

/**
 * The generation of a table that a session has found when it began. Whatever the session brings belongs into this one: at the
 * peer it may be of before a TRUNCATE, or a DROP, that has come since.
 */
final class BegunGeneration
{
    private final ColumnFamilyStore cfs;
    /** Null if the table was being dropped. */
    private final CassiteriteMemtable memtable;

    BegunGeneration(ColumnFamilyStore cfs)
    {
        this.cfs = cfs;
        this.memtable = EngineTables.find(cfs.metadata.id);
        if (memtable != null)
            memtable.statistics().beginSession();
    }

    /** The session is over; to be called once. */
    void end()
    {
        if (memtable != null)
            memtable.statistics().endSession();
    }

    /** @throws IllegalStateException if the table has been dropped or truncated since */
    void ensureCurrent()
    {
        CassiteriteMemtable current = EngineTables.find(cfs.metadata.id);
        if (memtable == null || memtable.table() == null || current == null || current.cfs() != cfs || current.table() == null)
            throw new IllegalStateException(cfs.metadata() + " was dropped during streaming");
        if (current.table() != memtable.table())
            throw new IllegalStateException(cfs.metadata() + " was truncated during streaming: stream again what is to be there");
    }

    /** Whether the table has it still; then a later try may bring the same. */
    boolean isCurrent()
    {
        return memtable != null && EngineTables.find(cfs.metadata.id) == memtable;
    }

    /** Also where it is not the table's any more: the engine takes nothing into it then. */
    CassiteriteMemtable memtable()
    {
        return memtable;
    }

    /** @see #memtable() */
    Table table()
    {
        return memtable.table();
    }
}
