/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.io.sstable.format.SSTableReader;

/** The sstables beside one generation of a table. Thread-safe. */
public final class SstablesBeside
{
    private static final long NEVER = Long.MIN_VALUE;
    /** No sstable is newer. */
    private static final long NOT_YET = Long.MAX_VALUE;

    private final ColumnFamilyStore cfs;
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
}
