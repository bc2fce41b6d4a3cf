/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.util.Set;
import java.util.stream.Collectors;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.io.sstable.Descriptor;
import org.apache.cassandra.io.sstable.format.SSTableReader;

/** The sstables beside one generation of a table. Thread-safe. */
public final class SstablesBeside
{
    private final ColumnFamilyStore cfs;
    private volatile Set<Descriptor> truncated = Set.of();

    /** @param cfs null if something else owns the memtable */
    SstablesBeside(ColumnFamilyStore cfs)
    {
        this.cfs = cfs;
    }

    boolean isAny()
    {
        return cfs != null && cfs.getTracker() != null && !cfs.getLiveSSTables().isEmpty();
    }

    /** A TRUNCATE has made this generation, and removes the sstables that are there: their rows never come into it. */
    void truncate()
    {
        if (cfs != null)
            truncated = cfs.getLiveSSTables().stream().map(sstable -> sstable.descriptor).collect(Collectors.toSet());
    }

    public boolean isTruncated(SSTableReader sstable)
    {
        return truncated.contains(sstable.descriptor);
    }
}
