/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.util.Arrays;
import java.util.Iterator;

import org.apache.cassandra.db.ClusteringBound;
import org.apache.cassandra.db.DeletionInfo;
import org.apache.cassandra.db.DeletionTime;
import org.apache.cassandra.db.RangeTombstone;
import org.apache.cassandra.db.Slice;

import io.cassiterite.engine.DirectOutput;

/**
 * Writes the header fragment of a partition: its deletion and range tombstones, canonical as docs/internals/formats.md asks.
 * One per thread: keeps state during a write, and nothing of the partition afterwards.
 */
final class HeaderWriter
{
    private KeyEncoder keys;
    private DeletionTime partition;
    private ClusteringBound<?> start;
    private ClusteringBound<?> end;
    private DeletionTime deletion;
    private long smallest;
    private int count;

    /**
     * Writes the header fragment.
     *
     * @return false, and leaves an unfinished fragment, if nothing is deleted
     */
    boolean write(DirectOutput out, KeyEncoder keys, DeletionInfo info)
    {
        this.keys = keys;
        partition = info.getPartitionDeletion();
        try
        {
            return writeHeader(out, info);
        }
        finally
        {
            this.keys = null;
            partition = null;
            start = null;
            end = null;
            deletion = null;
        }
    }

    private boolean writeHeader(DirectOutput out, DeletionInfo info)
    {
        smallest = Long.MAX_VALUE;
        out.putByte(Fragments.VERSION);
        int flagsAt = out.length();
        int flags = 0;
        out.putByte(0);
        if (!partition.isLive())
        {
            flags |= Fragments.PARTITION_DELETION;
            putDeletion(out, partition);
        }
        if (info.hasRanges() && putRanges(out, info))
            flags |= Fragments.RANGES;
        out.setByte(flagsAt, flags);
        return flags != 0;
    }

    /** The smallest timestamp of what was written last. */
    long smallestTimestamp()
    {
        return smallest;
    }

    /** The count stands before the ranges, so they are counted first. */
    private boolean putRanges(DirectOutput out, DeletionInfo info)
    {
        int before = out.length();
        putAll(out, info);
        int ranges = count;
        out.truncate(before);
        if (ranges == 0)
            return false;
        out.putUnsignedVarint(ranges);
        putAll(out, info);
        return true;
    }

    private void putAll(DirectOutput out, DeletionInfo info)
    {
        count = 0;
        start = null;
        for (Iterator<RangeTombstone> it = info.rangeIterator(false); it.hasNext(); )
        {
            RangeTombstone range = it.next();
            if (!range.deletionTime().supersedes(partition) || isEmpty(out, range.deletedSlice()))
                continue;
            if (start != null && touches(out, range))
                end = range.deletedSlice().end();
            else
            {
                putPending(out);
                start = range.deletedSlice().start();
                end = range.deletedSlice().end();
                deletion = range.deletionTime();
            }
        }
        putPending(out);
    }

    private boolean touches(DirectOutput out, RangeTombstone next)
    {
        return deletion.equals(next.deletionTime())
               && compare(out, end, next.deletedSlice().start()) == 0;
    }

    private boolean isEmpty(DirectOutput out, Slice slice)
    {
        return compare(out, slice.start(), slice.end()) >= 0;
    }

    /** By forms: Cassandra's comparator fails on some bytes that a bound may have. */
    private int compare(DirectOutput out, ClusteringBound<?> left, ClusteringBound<?> right)
    {
        return Arrays.compareUnsigned(form(out, left), form(out, right));
    }

    private byte[] form(DirectOutput out, ClusteringBound<?> bound)
    {
        int before = out.length();
        keys.putClustering(out, bound);
        byte[] form = out.copyFrom(before);
        out.truncate(before);
        return form;
    }

    private void putPending(DirectOutput out)
    {
        if (start == null)
            return;
        putPosition(out, start);
        putPosition(out, end);
        putDeletion(out, deletion);
        start = null;
        count++;
    }

    private void putPosition(DirectOutput out, ClusteringBound<?> bound)
    {
        int before = out.length();
        keys.putClustering(out, bound);
        int length = out.length() - before;
        out.truncate(before);
        out.putUnsignedVarint(length);
        keys.putClustering(out, bound);
        RawClusterings.put(out, bound);
    }

    private void putDeletion(DirectOutput out, DeletionTime time)
    {
        smallest = Math.min(smallest, time.markedForDeleteAt());
        out.putLong(time.markedForDeleteAt());
        out.putUnsignedVarint(time.localDeletionTime());
    }
}
