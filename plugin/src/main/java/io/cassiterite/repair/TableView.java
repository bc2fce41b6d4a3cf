/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.repair;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.Throwables;

import io.cassiterite.memtable.CassiteriteMemtable;

/**
 * A table at one point in time, in some token ranges: a cursor for each, which is read once. Open cursors keep files
 * and memory of the engine from being freed, so it must be closed. Thread-safe.
 */
final class TableView implements AutoCloseable
{
    private final long openedNanos = System.nanoTime();
    private final TableMetadata metadata;
    private final Map<Range<Token>, RangeCursor> cursors = new HashMap<>();

    private TableView(TableMetadata metadata)
    {
        this.metadata = metadata;
    }

    /** Opens a cursor for each of the ranges; one that wraps around gets two. */
    static TableView open(CassiteriteMemtable memtable, Collection<Range<Token>> ranges)
    {
        TableView view = new TableView(memtable.metadata());
        boolean opened = false;
        try
        {
            for (Range<Token> range : ranges)
                for (Range<Token> part : range.unwrap())
                    if (!view.cursors.containsKey(part))
                        view.cursors.put(part, RangeCursor.open(memtable, part));
            opened = true;
            return view;
        }
        finally
        {
            if (!opened)
                view.close();
        }
    }

    /** Hands over the cursor of a range that does not wrap around, for the caller to close; null if there is none left. */
    synchronized RangeCursor take(Range<Token> range)
    {
        return cursors.remove(range);
    }

    /** Hands over all cursors, for the caller to close. */
    synchronized List<RangeCursor> takeAll()
    {
        List<RangeCursor> all = new ArrayList<>(cursors.values());
        cursors.clear();
        return all;
    }

    TableMetadata metadata()
    {
        return metadata;
    }

    long ageNanos()
    {
        return System.nanoTime() - openedNanos;
    }

    @Override
    public synchronized void close()
    {
        Throwables.maybeFail(Throwables.close(null, takeAll()));
    }
}
