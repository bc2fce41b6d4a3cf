/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.index;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.schema.TableId;

/**
 * The builds of a table's indexes. One full build runs at a time, and beside it one of the rows that have just come.
 * Thread-safe.
 */
final class TableBuilds
{
    private static final ConcurrentMap<TableId, TableBuilds> ALL = new ConcurrentHashMap<>();

    private final ReentrantLock fullBuild = new ReentrantLock(true);
    private final ReentrantLock partBuild = new ReentrantLock(true);
    private final AtomicInteger full = new AtomicInteger();
    private final BulkLoads bulkLoads = new BulkLoads();

    private TableBuilds()
    {
    }

    static TableBuilds of(ColumnFamilyStore cfs)
    {
        return ALL.computeIfAbsent(cfs.metadata.id, id -> new TableBuilds());
    }

    /** Whether a full build runs, or waits for its turn. */
    boolean hasFull()
    {
        return full.get() > 0;
    }

    BulkLoads bulkLoads()
    {
        return bulkLoads;
    }

    /** Waits until this caller may build; {@link #end} must follow. */
    void begin(boolean isFull)
    {
        if (isFull)
            full.incrementAndGet();
        lock(isFull).lock();
    }

    void end(boolean isFull)
    {
        if (isFull)
            full.decrementAndGet();
        lock(isFull).unlock();
    }

    /** Whether the calling thread is between the begin and the end of a build of rows that have just come. */
    boolean isOfThisThread()
    {
        return partBuild.isHeldByCurrentThread();
    }

    private ReentrantLock lock(boolean isFull)
    {
        return isFull ? fullBuild : partBuild;
    }
}
