/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.repair;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.apache.cassandra.db.DataRange;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.schema.TableMetadata;

import io.cassiterite.memtable.CassiteriteMemtable;
import io.cassiterite.memtable.MemtableView;

/**
 * A table at one point in time, in some token ranges: a cursor for each, which is read once. All of them share one view of
 * the engine, which keeps files and memory from being freed until this is closed, or no range is left, and the cursors that
 * were taken are closed. Thread-safe.
 */
final class TableView implements AutoCloseable
{
    private final long openedNanos = System.nanoTime();
    private final TableMetadata metadata;
    private final MemtableView view;
    private final Set<Range<Token>> left = new HashSet<>();
    private int taken;

    private TableView(CassiteriteMemtable memtable)
    {
        this.metadata = memtable.metadata();
        this.view = memtable.view();
    }

    /** @param ranges one that wraps around gets two cursors */
    static TableView open(CassiteriteMemtable memtable, Collection<Range<Token>> ranges)
    {
        TableView view = new TableView(memtable);
        for (Range<Token> range : ranges)
            view.left.addAll(range.unwrap());
        return view;
    }

    /** Hands over the cursor of a range that does not wrap around, for the caller to close; null if there is none left. */
    synchronized RangeCursor take(Range<Token> range)
    {
        if (!left.contains(range))
            return null;
        RangeCursor cursor = new RangeCursor(range, view.partitions(DataRange.forTokenRange(range)), this::giveBack);
        left.remove(range);
        taken++;
        return cursor;
    }

    /** Hands over all cursors, for the caller to close. */
    synchronized List<RangeCursor> takeAll()
    {
        List<RangeCursor> all = new ArrayList<>(left.size());
        for (Range<Token> range : List.copyOf(left))
            all.add(take(range));
        return all;
    }

    private synchronized void giveBack()
    {
        taken--;
        closeUnused();
    }

    private void closeUnused()
    {
        if (taken == 0 && left.isEmpty())
            view.close();
    }

    TableMetadata metadata()
    {
        return metadata;
    }

    long ageNanos()
    {
        return System.nanoTime() - openedNanos;
    }

    /** Cursors that were taken go on. */
    @Override
    public synchronized void close()
    {
        left.clear();
        closeUnused();
    }
}
