/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe.metrics;

import java.util.HashMap;
import java.util.Map;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.metrics.StorageMetrics;
import org.apache.cassandra.schema.TableId;

/**
 * Adds the engine's files to Cassandra's own counters of disk space, so that nodetool's tablestats and status include
 * them. The counters take differences, so this class has the last figure of every table. Thread-safe.
 */
public final class DiskSpace
{
    private final Map<TableId, Long> counted = new HashMap<>();

    /** @param bytes what the table occupies on disk now */
    public synchronized void update(ColumnFamilyStore cfs, long bytes)
    {
        Long previous = counted.put(cfs.metadata.id, bytes);
        long difference = bytes - (previous == null ? 0 : previous);
        if (difference == 0)
            return;
        cfs.getTracker().updateLiveDiskSpaceUsed(difference);
        StorageMetrics.load.inc(difference);
    }

    /** Takes a dropped table out of the node's load; its own counters are gone with it. */
    public synchronized void forget(TableId table)
    {
        Long previous = counted.remove(table);
        if (previous != null)
            StorageMetrics.load.dec(previous);
    }
}
