/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.index;

import java.util.ArrayList;
import java.util.List;

import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.ClusteringComparator;
import org.apache.cassandra.db.DecoratedKey;

import io.cassiterite.engine.Answer;
import io.cassiterite.engine.Table;
import io.cassiterite.memtable.IndexEntry;
import io.cassiterite.memtable.IndexReader;
import io.cassiterite.memtable.ValueRange;

/** The entries of a range of values, gathered and sorted; there are not many of them. */
final class GatheredEntries extends EntrySource
{
    /** Where a range has more entries, it is cheaper to read the rows in their order than to sort these. */
    static final int MAX = Integer.getInteger("cassiterite.index_range_entries", 20_000);

    private final List<IndexEntry> entries;
    private int at;

    private GatheredEntries(EngineIndex index, ClusteringComparator comparator, List<IndexEntry> entries)
    {
        super(index, null, comparator);
        this.entries = entries;
        entries.sort((left, right) -> compare(left, right.key, right.row));
    }

    /** @return null if there are more than {@link #MAX} */
    static GatheredEntries of(EngineIndex index, Table table, ValueRange values, ClusteringComparator comparator, List<byte[]> slices,
                              long nowInSec, Answer.Watch watch)
    {
        List<IndexEntry> entries = new ArrayList<>();
        if (slices.isEmpty())
            return new GatheredEntries(index, comparator, entries);
        IndexedColumn column = index.column();
        try (IndexReader reader = IndexReader.openRange(table, column.keys, values, slices, column.rowColumns(), column.hasPath, nowInSec,
                                                        watch))
        {
            for (IndexEntry entry = reader.next(); entry != null; entry = reader.next())
            {
                if (entries.size() == MAX)
                    return null;
                entries.add(entry);
            }
        }
        return new GatheredEntries(index, comparator, entries);
    }

    @Override
    IndexEntry head()
    {
        return at < entries.size() ? entries.get(at) : null;
    }

    @Override
    void advance()
    {
        at++;
    }

    @Override
    List<IndexEntry> upcoming(int count)
    {
        return entries.subList(Math.min(at, entries.size()), Math.min(at + count, entries.size()));
    }

    @Override
    void advanceTo(DecoratedKey key, Clustering<?> row)
    {
        while (head() != null && compare(head(), key, row) < 0)
            at++;
    }

    @Override
    public void close()
    {
    }
}
