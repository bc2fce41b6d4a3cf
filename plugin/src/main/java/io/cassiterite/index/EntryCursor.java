/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.index;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
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
    /** Likewise, where the rows are known whose entries are wanted. To seek one costs more than to pass some. */
    private static final int PASSED_BEFORE_SOUGHT = 16;
    private static final int FIRST_SOUGHT = 16;
    private static final int SOUGHT_MAX = 256;

    private final Table table;
    private final List<byte[]> slices;
    private final long nowInSec;
    private final Answer.Watch watch;
    private final Deque<IndexEntry> readAhead = new ArrayDeque<>();
    private OrderedEntries entries;
    private IndexEntry head;
    /** Null for a cursor that leads. */
    private EntrySource lead;
    /** The last entry of the lead whose row the reader seeks; null if it reads all. */
    private IndexEntry lastSought;
    private int sought = FIRST_SOUGHT;

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
        entries = new OrderedEntries(column.keys, positions, this::reader, this::compare);
        advance();
    }

    private IndexReader reader(List<byte[]> positions)
    {
        return IndexReader.open(table, column.keys, value, positions, column.rowColumns(), column.hasPath, nowInSec, watch);
    }

    private int compare(IndexEntry left, IndexEntry right)
    {
        return compare(left, right.key, right.row);
    }

    @Override
    IndexEntry head()
    {
        return head;
    }

    @Override
    void advance()
    {
        head = readAhead.isEmpty() ? read() : readAhead.poll();
    }

    private IndexEntry read()
    {
        return entries == null ? null : entries.next();
    }

    @Override
    List<IndexEntry> upcoming(int count)
    {
        List<IndexEntry> upcoming = new ArrayList<>();
        if (head != null)
            upcoming.add(head);
        while (head != null && 1 + readAhead.size() < count)
        {
            IndexEntry next = read();
            if (next == null)
                break;
            readAhead.add(next);
        }
        readAhead.stream().limit(count - 1L).forEach(upcoming::add);
        return upcoming;
    }

    @Override
    void follow(EntrySource leading)
    {
        lead = leading;
    }

    @Override
    IndexEntry gap()
    {
        return head == null ? lastSought : null;
    }

    @Override
    void advanceTo(DecoratedKey key, Clustering<?> row)
    {
        int passedMax = lead == null ? PASSED_MAX : PASSED_BEFORE_SOUGHT;
        boolean isReopened = false;
        for (int passed = 0; head != null && compare(head, key, row) < 0; passed++)
        {
            if (passed < passedMax || lastSought != null || isReopened)
                advance();
            else if (lead != null)
                seek();
            else
            {
                // other partitions with half this token may have a smaller one
                isReopened = true;
                reopen(EntrySlices.intersect(slices, EntrySlices.from(column.keys, key, before(key, row))));
            }
        }
        if (head == null && lastSought != null && compare(lead.head(), lastSought.key, lastSought.row) > 0)
            seek();
    }

    /** From now on only the entries of rows that the lead has. */
    private void seek()
    {
        List<byte[]> positions = new ArrayList<>();
        for (IndexEntry wanted : lead.upcoming(sought))
        {
            if (lastSought != null && compare(wanted, lastSought.key, lastSought.row) == 0)
                continue;
            lastSought = wanted;
            positions.add(before(wanted.key, wanted.row));
        }
        sought = Math.min(2 * sought, SOUGHT_MAX);
        reopen(EntrySlices.of(positions));
    }

    private byte[] before(DecoratedKey key, Clustering<?> row)
    {
        return column.keys.before(key, column.isOfRow ? row : null);
    }

    private void reopen(List<byte[]> positions)
    {
        close();
        open(positions);
    }

    @Override
    public void close()
    {
        readAhead.clear();
        if (entries != null)
            entries.close();
        entries = null;
    }
}
