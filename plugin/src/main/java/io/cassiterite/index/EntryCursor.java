/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.index;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.ClusteringComparator;
import org.apache.cassandra.db.DecoratedKey;

import io.cassiterite.engine.Answer;
import io.cassiterite.engine.Table;
import io.cassiterite.memtable.IndexEntry;
import io.cassiterite.memtable.IndexReader;

/** The entries of one value, read as they are wanted. */
final class EntryCursor extends EntrySource
{
    /** After so many entries that are passed over, those between are not read any more. */
    private static final int PASSED_MAX = 256;

    private final Table table;
    private final List<byte[]> slices;
    private final long nowInSec;
    private final Answer.Watch watch;
    private IndexReader reader;
    private IndexEntry head;

    /** @param slices pairs of positions, in order */
    EntryCursor(EngineIndex index, Table table, Clustering<?> value, ClusteringComparator comparator, List<byte[]> slices, long nowInSec,
                Answer.Watch watch)
    {
        super(index, value, comparator);
        this.table = table;
        this.slices = slices;
        this.nowInSec = nowInSec;
        this.watch = watch;
        open(slices);
    }

    private void open(List<byte[]> positions)
    {
        if (!positions.isEmpty())
            reader = IndexReader.open(table, column.keys, value, positions, column.rowColumns(), column.hasPath, nowInSec, watch);
        advance();
    }

    @Override
    IndexEntry head()
    {
        return head;
    }

    @Override
    void advance()
    {
        head = reader == null ? null : reader.next();
    }

    @Override
    void advanceTo(DecoratedKey key, Clustering<?> row)
    {
        for (int passed = 0; head != null && compare(head, key, row) < 0; passed++)
        {
            if (passed < PASSED_MAX)
                advance();
            else
            {
                close();
                open(from(column.keys.before(key, column.isOfRow ? row : null)));
                passed = 0;
            }
        }
    }

    /** What of the slices is not before a position. */
    private List<byte[]> from(byte[] position)
    {
        List<byte[]> left = new ArrayList<>();
        for (int i = 0; i < slices.size(); i += 2)
        {
            byte[] start = slices.get(i);
            byte[] end = slices.get(i + 1);
            if (Arrays.compareUnsigned(end, position) <= 0)
                continue;
            left.add(Arrays.compareUnsigned(start, position) < 0 ? position : start);
            left.add(end);
        }
        return left;
    }

    @Override
    public void close()
    {
        if (reader != null)
            reader.close();
        reader = null;
    }
}
