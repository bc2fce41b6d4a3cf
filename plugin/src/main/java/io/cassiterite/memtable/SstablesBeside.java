/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.io.sstable.format.SSTableReader;

/** The sstables beside one generation of a table. Thread-safe. */
public final class SstablesBeside
{
    private static final long NEVER = Long.MIN_VALUE;
    /** No sstable is newer. */
    private static final long NOT_YET = Long.MAX_VALUE;

    private final ColumnFamilyStore cfs;
    /** Shared by whoever looks at both homes of rows, exclusive for rows to go from the engine, which are in sstables by then. */
    private final ReadWriteLock homes = new ReentrantReadWriteLock();
    private volatile long truncatedAt = NEVER;

    /** @param cfs null if something else owns the memtable */
    SstablesBeside(ColumnFamilyStore cfs)
    {
        this.cfs = cfs;
    }

    boolean isAny()
    {
        return cfs != null && cfs.getTracker() != null && !cfs.getLiveSSTables().isEmpty();
    }

    /** A TRUNCATE has made this generation, and is yet to say which sstables it removes. */
    void awaitTruncation()
    {
        truncatedAt = NOT_YET;
    }

    /** @param millis a TRUNCATE removes the sstables that are not newer, now that nothing compacts them */
    void truncated(long millis)
    {
        truncatedAt = millis;
    }

    /** An sstable whose rows must never come into this generation: a TRUNCATE removes it, or would have. */
    public boolean isTruncated(SSTableReader sstable)
    {
        return truncatedAt != NEVER && !sstable.newSince(truncatedAt);
    }

    /** Ends a look at both homes, in the thread that began it. */
    public interface Look extends AutoCloseable
    {
        @Override
        void close();
    }

    /**
     * To be open while views are taken of sstables and engine, in any order: no row leaves the engine for an sstable meanwhile, so
     * that each is in one of them at least. For all but Cassandra's reads, whose order does the same.
     */
    public Look lookAtBoth()
    {
        homes.readLock().lock();
        return homes.readLock()::unlock;
    }

    /** @return false, and nothing has been done, while somebody {@linkplain #lookAtBoth looks at both} */
    public boolean tryToForget(Runnable forget)
    {
        if (!homes.writeLock().tryLock())
            return false;
        try
        {
            forget.run();
            return true;
        }
        finally
        {
            homes.writeLock().unlock();
        }
    }
}
