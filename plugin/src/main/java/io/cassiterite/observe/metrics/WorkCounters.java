/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe.metrics;

import java.util.HashMap;
import java.util.Map;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.schema.TableId;

import io.cassiterite.engine.TableStats;

/**
 * Adds the engine's flushes and compactions of each table to Cassandra's own counters of the table, which also make up the
 * sums of keyspaces and of the node. Thread-safe.
 */
public final class WorkCounters
{
    private final Map<TableId, TableStats> counted = new HashMap<>();

    public synchronized void update(ColumnFamilyStore cfs, TableStats now)
    {
        TableStats last = counted.put(cfs.metadata.id, now);
        cfs.metric.memtableSwitchCount.inc(now.flushes() - (last == null ? 0 : last.flushes()));
        cfs.metric.bytesFlushed.inc(now.flushedBytes() - (last == null ? 0 : last.flushedBytes()));
        cfs.metric.compactionBytesWritten.inc(now.compactionWrittenBytes() - (last == null ? 0 : last.compactionWrittenBytes()));
        cfs.metric.pendingFlushes.inc(now.sealedMemtables() - (last == null ? 0 : last.sealedMemtables()));
    }

    /** The counters of a dropped table are gone. */
    public synchronized void forget(TableId table)
    {
        counted.remove(table);
    }
}
