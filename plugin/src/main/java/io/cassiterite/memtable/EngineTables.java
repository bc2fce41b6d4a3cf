/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.util.Collection;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;

import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.schema.TableMetadata;

/** The node's engine tables: the current memtable of each. Thread-safe. */
public final class EngineTables
{
    private static final ConcurrentMap<TableId, CassiteriteMemtable> CURRENT = new ConcurrentHashMap<>();

    private static volatile Consumer<TableId> onChange = table -> {};

    private EngineTables()
    {
    }

    /** A live view of all. */
    public static Collection<CassiteriteMemtable> all()
    {
        return CURRENT.values();
    }

    /** The current memtable of a table, or null if the engine does not keep it. */
    public static CassiteriteMemtable find(TableId id)
    {
        return CURRENT.get(id);
    }

    public static CassiteriteMemtable find(String keyspace, String table)
    {
        for (CassiteriteMemtable memtable : CURRENT.values())
        {
            TableMetadata metadata = memtable.metadata();
            if (metadata.keyspace.equals(keyspace) && metadata.name.equals(table))
                return memtable;
        }
        return null;
    }

    /**
     * Sets who is told that another generation, or no memtable of the engine, will be a table's next: before Cassandra
     * writes to it. May be called under Cassandra's lock of the table.
     */
    public static void onChange(Consumer<TableId> listener)
    {
        onChange = listener;
    }

    /** Deletes the dropped tables whose deletion has failed. */
    public static void deleteDropped()
    {
        for (CassiteriteMemtable memtable : CURRENT.values())
            if (memtable.drop().isUnfinished())
                memtable.drop().finish();
    }

    static void put(CassiteriteMemtable memtable)
    {
        CURRENT.put(memtable.metadata().id, memtable);
        changes(memtable);
    }

    /** The memtable may be about to be replaced or left, or its ranges have changed. No native write of before is in progress on return. */
    public static void changes(EngineMemtable memtable)
    {
        onChange.accept(memtable.metadata().id);
    }

    /** What makes the records of Paxos and of batches safe that are complete, before a row; null if they always are. */
    public static Runnable recordSync(CassiteriteMemtable memtable)
    {
        CommitLogBarrier barrier = memtable.commitLogBarrier();
        return barrier == null ? null : barrier::awaitAll;
    }

    static void remove(CassiteriteMemtable memtable)
    {
        if (CURRENT.remove(memtable.metadata().id, memtable))
            changes(memtable);
    }
}
