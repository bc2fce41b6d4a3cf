/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.index;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Function;

import org.apache.cassandra.db.DecoratedKey;

import io.cassiterite.memtable.IndexEntry;
import io.cassiterite.memtable.IndexKeys;
import io.cassiterite.memtable.IndexReader;

/**
 * The entries of one value in the order of rows. The engine has them in that of half tokens: runs of equal ones, which are
 * rare outside of large partitions, are sorted here. A run that is too long for that is read partition by partition. For one
 * thread; must be closed.
 */
final class OrderedEntries implements AutoCloseable
{
    /** Entries of one run that are sorted in memory. */
    private static final int RUN_MAX = 256;

    private final int runMax;
    private final IndexKeys keys;
    private final Function<List<byte[]>, IndexReader> opener;
    private final Comparator<IndexEntry> order;
    private final Deque<IndexEntry> sorted = new ArrayDeque<>();
    /** What is to be read after the present slices. */
    private final Deque<List<byte[]>> parts = new ArrayDeque<>();
    private List<byte[]> slices;
    private IndexReader reader;
    /** Read, and not sorted in yet. */
    private IndexEntry ahead;
    /** An entry of the half token of which the reader shows one partition only; null if there is none. */
    private IndexEntry lone;

    /**
     * @param opener reads slices in the order of keys
     * @param order  of rows
     */
    OrderedEntries(IndexKeys keys, List<byte[]> slices, Function<List<byte[]>, IndexReader> opener, Comparator<IndexEntry> order)
    {
        this(keys, slices, opener, order, RUN_MAX);
    }

    /** @param runMax at least 1 */
    OrderedEntries(IndexKeys keys, List<byte[]> slices, Function<List<byte[]>, IndexReader> opener, Comparator<IndexEntry> order,
                   int runMax)
    {
        this.runMax = runMax;
        this.keys = keys;
        this.opener = opener;
        this.order = order;
        open(slices);
    }

    private void open(List<byte[]> positions)
    {
        slices = positions;
        reader = positions.isEmpty() ? null : opener.apply(positions);
    }

    /** The next entry; null at the end. */
    IndexEntry next()
    {
        while (true)
        {
            if (!sorted.isEmpty())
                return sorted.poll();
            IndexEntry first = ahead == null ? read() : ahead;
            ahead = null;
            if (first == null)
            {
                if (parts.isEmpty())
                    return null;
                close();
                open(parts.poll());
            }
            else if (isInRun(lone, first))
                return first;
            else
            {
                ahead = read();
                if (!isInRun(first, ahead))
                    return first;
                sort(first);
            }
        }
    }

    private IndexEntry read()
    {
        return reader == null ? null : reader.next();
    }

    private static boolean isInRun(IndexEntry one, IndexEntry other)
    {
        return one != null && other != null && IndexKeys.half(one.key.getToken()) == IndexKeys.half(other.key.getToken());
    }

    /** Sorts a run of at least two entries. */
    private void sort(IndexEntry first)
    {
        List<IndexEntry> run = new ArrayList<>();
        run.add(first);
        while (isInRun(first, ahead) && run.size() < runMax)
        {
            run.add(ahead);
            ahead = read();
        }
        if (!isInRun(first, ahead))
        {
            run.sort(order);
            sorted.addAll(run);
            return;
        }
        TreeSet<DecoratedKey> partitions = partitions(run);
        if (partitions.size() == 1)
        {
            lone = first;
            sorted.addAll(run);
        }
        else
            split(first, partitions);
    }

    /** Those of a run, whose first entries are known, in Cassandra's order. */
    private TreeSet<DecoratedKey> partitions(List<IndexEntry> run)
    {
        TreeSet<DecoratedKey> partitions = new TreeSet<>();
        run.forEach(entry -> partitions.add(entry.key));
        byte[] to = IndexKeys.to(ahead.key.getToken());
        for (IndexEntry found = ahead; found != null; found = firstOf(List.of(IndexKeys.after(keys.before(found.key, null)), to)))
            partitions.add(found.key);
        return partitions;
    }

    private IndexEntry firstOf(List<byte[]> range)
    {
        List<byte[]> left = EntrySlices.intersect(slices, range);
        if (left.isEmpty())
            return null;
        try (IndexReader probe = opener.apply(left))
        {
            return probe.next();
        }
    }

    /** Reads a run partition by partition, and then what follows it. No parts are left: they begin with the last one. */
    private void split(IndexEntry first, TreeSet<DecoratedKey> partitions)
    {
        for (DecoratedKey partition : partitions.descendingSet())
            parts.push(EntrySlices.intersect(slices, EntrySlices.of(keys, partition)));
        List<byte[]> behind = List.of(IndexKeys.to(first.key.getToken()), IndexKeys.last());
        parts.addLast(EntrySlices.intersect(slices, behind));
        lone = first;
        ahead = null;
        close();
    }

    @Override
    public void close()
    {
        if (reader != null)
            reader.close();
        reader = null;
    }
}
