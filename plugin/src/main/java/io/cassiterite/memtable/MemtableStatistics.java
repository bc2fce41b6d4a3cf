/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

import org.apache.cassandra.db.memtable.Memtable;
import org.apache.cassandra.db.rows.EncodingStats;

import io.cassiterite.engine.EngineException;
import io.cassiterite.engine.Table;
import io.cassiterite.engine.TableStats;

/**
 * The sizes and timestamps of a generation that Cassandra asks for, some with every read. They are kept here, so that
 * few calls cross the boundary. Thread-safe.
 */
public final class MemtableStatistics
{
    /** Far below zero: loads that are refused count, too. */
    private static final int SEALED = Integer.MIN_VALUE / 2;

    private final Table table;
    private final LongAdder operations = new LongAdder();
    private final AtomicLong smallest = new AtomicLong(Long.MAX_VALUE);
    /** Bulk loads under way: their rows are of any age. */
    private final AtomicInteger loads = new AtomicInteger();
    /** Sessions that receive, and will load what has come. */
    private final AtomicInteger sessions = new AtomicInteger();
    private volatile EncodingStats encoding = EncodingStats.NO_STATS;
    private volatile boolean written;

    /** @param table null for a table that is being dropped, which has nothing */
    MemtableStatistics(Table table)
    {
        this.table = table;
        if (table != null)
            reload();
    }

    /** Reads from the engine what came into the table by other ways than writes. */
    public void reload()
    {
        TableStats stats = table.stats();
        if (stats.isPristine())
            return;
        long bound = stats.smallestTimestamp();
        lower(bound == Long.MAX_VALUE ? Long.MIN_VALUE : bound);
        written = true;
    }

    /**
     * Must be called before data come into the table by another way than writes: compactions of sstables beside the engine
     * purge no deletion, until {@link #endBulkLoad}, that could hide some of them.
     *
     * @throws IllegalStateException if the table is leaving the engine
     */
    public void beginBulkLoad()
    {
        if (loads.incrementAndGet() < 0)
            throw new IllegalStateException("the table is leaving the engine, and takes no data");
    }

    /**
     * Refuses writes and loads from now on. Writes that have begun may still end: Cassandra's order of writes tells when.
     *
     * @return false, and refuses nothing, while a load is under way
     */
    public boolean seal()
    {
        return isSealed() || loads.compareAndSet(0, SEALED);
    }

    /** @return true if a bulk load is under way, or writes are refused */
    public boolean isLoading()
    {
        return loads.get() != 0;
    }

    boolean isSealed()
    {
        return loads.get() < 0;
    }

    /** Must be called behind {@link #reload}, of the same memtable as {@link #beginBulkLoad}. */
    public void endBulkLoad()
    {
        loads.decrementAndGet();
    }

    /**
     * A session receives for the table from now on, until {@link #endSession}. A TRUNCATE meanwhile has to begin a generation,
     * though the table be empty: by that the session notices it.
     */
    public void beginSession()
    {
        sessions.incrementAndGet();
    }

    /** Once for each {@link #beginSession}, of the same memtable. */
    public void endSession()
    {
        sessions.decrementAndGet();
    }

    /**
     * From now on writes may come that are not recorded one by one, of this time or later ones.
     *
     * @param timestamp in microseconds since the epoch
     */
    public void expectWrites(long timestamp)
    {
        record(timestamp, 0);
    }

    /** Counts such writes. */
    public void recordCount(long count)
    {
        operations.add(count);
    }

    /** Records a write that is about to be done. */
    void record(long smallestTimestamp, int operationCount)
    {
        if (smallestTimestamp < smallest.get())
            lower(smallestTimestamp);
        if (!written)
            written = true;
        operations.add(operationCount);
    }

    private void lower(long timestamp)
    {
        long known = smallest.get();
        while (timestamp < known && !smallest.compareAndSet(known, timestamp))
            known = smallest.get();
        long bound = smallest.get();
        encoding = new EncodingStats(bound, EncodingStats.NO_STATS.minLocalDeletionTime, EncodingStats.NO_STATS.minTTL);
    }

    /**
     * A lower bound for every timestamp in the table; Long.MAX_VALUE if it is empty. Never the value by which Cassandra
     * means none.
     */
    public long smallestTimestamp()
    {
        if (loads.get() > 0)
            return Long.MIN_VALUE;
        long bound = smallest.get();
        return bound == Memtable.NO_MIN_TIMESTAMP ? bound - 1 : bound;
    }

    /** Bounds for what the table has, for sstables with its rows. */
    public EncodingStats encoding()
    {
        return encoding;
    }

    /** False also while a session receives. */
    boolean isPristine()
    {
        return !written && sessions.get() == 0 && (table == null || table.stats().isPristine());
    }

    /** An estimate, never zero for a table with data. */
    long partitions()
    {
        TableStats stats = open();
        return stats == null || stats.isPristine() && !written ? 0 : Math.max(1, stats.estimatedPartitions());
    }

    long memoryBytes()
    {
        TableStats stats = open();
        return stats == null ? 0 : stats.memtableBytes();
    }

    /** Operations since the node started; never zero for a table with data. */
    long operations()
    {
        long since = operations.sum();
        if (since > 0)
            return since;
        TableStats stats = open();
        return !written && (stats == null || stats.isPristine()) ? 0 : 1;
    }

    /** The engine's counters; null once the store is closed, when metrics still read them. */
    private TableStats open()
    {
        try
        {
            return table == null ? null : table.stats();
        }
        catch (EngineException e)
        {
            if (e.kind() == EngineException.Kind.CLOSED)
                return null;
            throw e;
        }
    }
}
