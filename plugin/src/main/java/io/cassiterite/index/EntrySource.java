/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.index;

import java.util.List;

import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.ClusteringComparator;
import org.apache.cassandra.db.DecoratedKey;

import io.cassiterite.memtable.IndexEntry;

/** Entries of one index in the order of rows; can be moved forward to a row. For one thread; must be closed. */
abstract class EntrySource implements AutoCloseable
{
    final IndexedColumn column;
    /** Names the index in write requests. */
    final int number;
    /** The value of all entries; null if they differ. */
    final Clustering<?> value;

    private final ClusteringComparator comparator;

    EntrySource(EngineIndex index, Clustering<?> value, ClusteringComparator comparator)
    {
        this.column = index.column();
        this.number = index.number();
        this.value = value;
        this.comparator = comparator;
    }

    /** The present entry; null at the end. */
    abstract IndexEntry head();

    abstract void advance();

    /** The present entry and those that follow, up to a number. */
    abstract List<IndexEntry> upcoming(int count);

    /** Moves to the first entry that is not before a row; of an index of partitions, not before its partition. */
    abstract void advanceTo(DecoratedKey key, Clustering<?> row);

    /** Only entries of the rows are wanted that another source has, and to which this one is moved. */
    void follow(EntrySource lead)
    {
    }

    /** The lead's entry up to which a source that follows has none, though more may come; null if there is a head. */
    IndexEntry gap()
    {
        return null;
    }

    /** How an entry stands to a row; for an index of partitions, or if the row is null, to its partition. */
    final int compare(IndexEntry entry, DecoratedKey key, Clustering<?> row)
    {
        int order = entry.key.compareTo(key);
        return order != 0 || !column.isOfRow || row == null ? order : comparator.compare(entry.row, row);
    }

    @Override
    public abstract void close();
}
