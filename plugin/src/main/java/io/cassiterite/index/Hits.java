/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.index;

import java.util.ArrayList;
import java.util.List;

import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.DecoratedKey;

import io.cassiterite.memtable.IndexEntry;

/**
 * Rows, or partitions, that have an entry in each of several indexes, in the order of rows. Where one index names rows,
 * the hits are rows. For one thread; must be closed.
 */
final class Hits implements AutoCloseable
{
    /** Entries of each index that tell which one has the fewest. */
    private static final int SAMPLE = 16;

    private final List<EntrySource> cursors;
    private final EntrySource lead;

    /** @param cursors at least one; closed with this */
    Hits(List<EntrySource> cursors)
    {
        this.cursors = cursors;
        this.lead = lead(cursors);
        cursors.stream().filter(cursor -> cursor != lead).forEach(cursor -> cursor.follow(lead));
    }

    /** The one with the fewest entries, as far as the first of each tell. */
    private static EntrySource lead(List<EntrySource> cursors)
    {
        List<EntrySource> eligible = new ArrayList<>(cursors);
        if (cursors.stream().anyMatch(cursor -> cursor.column.isOfRow))
            eligible.removeIf(cursor -> !cursor.column.isOfRow);
        EntrySource sparsest = eligible.get(0);
        for (EntrySource cursor : eligible.subList(1, eligible.size()))
            if (isSparser(cursor, sparsest))
                sparsest = cursor;
        return sparsest;
    }

    private static boolean isSparser(EntrySource left, EntrySource right)
    {
        List<IndexEntry> ofLeft = left.upcoming(SAMPLE);
        List<IndexEntry> ofRight = right.upcoming(SAMPLE);
        if (ofLeft.size() < SAMPLE || ofRight.size() < SAMPLE)
            return ofLeft.size() < ofRight.size();
        IndexEntry last = ofRight.get(SAMPLE - 1);
        return left.compare(ofLeft.get(SAMPLE - 1), last.key, last.row) > 0;
    }

    boolean areRows()
    {
        return lead.column.isOfRow;
    }

    /** The next hit; null at the end. */
    Hit next()
    {
        while (lead.head() != null)
        {
            IndexEntry entry = lead.head();
            Hit hit = new Hit(entry.key, entry.row);
            EntrySource ahead = firstAhead(hit);
            if (ahead == null)
            {
                passAll(hit);
                return hit;
            }
            if (ahead.head() != null)
                lead.advanceTo(ahead.head().key, ahead.head().row);
            else if (ahead.gap() != null)
                leadBehind(ahead, ahead.gap());
            else
                return null;
        }
        return null;
    }

    private void leadBehind(EntrySource ahead, IndexEntry gap)
    {
        while (lead.head() != null && ahead.compare(lead.head(), gap.key, gap.row) <= 0)
            lead.advance();
    }

    /** Moves the others to a hit; the first one that has no entry of it, null if all have one. */
    private EntrySource firstAhead(Hit hit)
    {
        for (EntrySource cursor : cursors)
        {
            cursor.advanceTo(hit.key, hit.row);
            if (cursor.head() == null || cursor.compare(cursor.head(), hit.key, hit.row) != 0)
                return cursor;
        }
        return null;
    }

    /** Moves beyond a hit, and remembers its entries. Entries of partitions stay, for the rows to come. */
    private void passAll(Hit hit)
    {
        for (EntrySource cursor : cursors)
        {
            boolean stays = areRows() && !cursor.column.isOfRow;
            while (cursor.head() != null && cursor.compare(cursor.head(), hit.key, hit.row) == 0)
            {
                hit.add(cursor, cursor.head());
                if (stays)
                    break;
                cursor.advance();
            }
        }
    }

    @Override
    public void close()
    {
        cursors.forEach(EntrySource::close);
    }

    /** A row or partition, with the entries that named it. */
    static final class Hit
    {
        final DecoratedKey key;
        /** Null if it is a partition. */
        final Clustering<?> row;
        final List<IndexEntry> entries = new ArrayList<>(1);
        final List<EntrySource> sources = new ArrayList<>(1);

        private Hit(DecoratedKey key, Clustering<?> row)
        {
            this.key = key;
            this.row = row;
        }

        private void add(EntrySource source, IndexEntry entry)
        {
            sources.add(source);
            entries.add(entry);
        }
    }
}
