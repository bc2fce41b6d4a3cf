/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import org.apache.cassandra.db.ClusteringBound;
import org.apache.cassandra.db.ClusteringPrefix;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.Slice;
import org.apache.cassandra.db.Slices;
import org.apache.cassandra.db.marshal.ValueAccessor;
import org.apache.cassandra.utils.bytecomparable.ByteComparable;

import io.cassiterite.engine.DirectOutput;

/** Writes read and scan requests (docs/internals/boundary.md). */
final class ReadRequests
{
    /** First answers are kept short: a query may end before what it could read, also where no LIMIT tells how many rows it wants. */
    static final int FIRST_CHUNK_BYTES = 32 << 10;

    /** Of the rows that an answer is wanted to have. */
    static final int NO_BOUND = 0;

    private static final int VERSION = 2;
    private static final int REVERSED = 1;
    private static final int STATIC = 2;
    private static final int POINTS = 4;
    private static final int KEYS_ONLY = 8;
    private static final int WHOLE = 16;

    private ReadRequests()
    {
    }

    /** What every request begins with. */
    static void begin(DirectOutput out, int flags, int chunkBytes, int rows)
    {
        out.putByte(VERSION);
        out.putByte(flags);
        out.putInt(chunkBytes);
        out.putInt(rows);
    }

    /** @param rows after which the first answer may end, or {@link #NO_BOUND} */
    static void putRead(DirectOutput out, KeyEncoder keys, DecoratedKey key, Slices slices, boolean reversed,
                        boolean statics, int chunkBytes, int rows)
    {
        boolean points = arePoints(keys, slices);
        begin(out, (reversed ? REVERSED : 0) | (statics ? STATIC : 0) | (points ? POINTS : 0), chunkBytes, rows);
        int start = out.beginLength();
        KeyEncoder.putPartition(out, key);
        out.endLength(start);
        putSlices(out, keys, slices, points);
    }

    /**
     * @param from first position of the scan, null to start at the first partition
     * @param to   position where it ends, null to go on to the last
     * @param rows after which the first answer may end, or {@link #NO_BOUND}
     */
    static void putScan(DirectOutput out, KeyEncoder keys, ByteComparable from, ByteComparable to, Slices slices,
                        boolean statics, int chunkBytes, int rows)
    {
        boolean whole = isWhole(slices);
        boolean points = !whole && arePoints(keys, slices);
        begin(out, (statics ? STATIC : 0) | (points ? POINTS : 0) | (whole ? WHOLE : 0), chunkBytes, rows);
        putRange(out, from, to);
        if (whole)
            out.putInt(0);
        else
            putSlices(out, keys, slices, points);
    }

    /** A scan that answers nothing but the partitions' keys. */
    static void putKeyScan(DirectOutput out, ByteComparable from, ByteComparable to, int chunkBytes)
    {
        begin(out, KEYS_ONLY, chunkBytes, NO_BOUND);
        putRange(out, from, to);
        out.putInt(0);
    }

    private static void putRange(DirectOutput out, ByteComparable from, ByteComparable to)
    {
        putKey(out, from);
        putKey(out, to);
    }

    private static void putKey(DirectOutput out, ByteComparable key)
    {
        int start = out.beginLength();
        if (key != null)
            out.putSource(key.asComparableBytes(KeyEncoder.VERSION));
        out.endLength(start);
    }

    private static void putSlices(DirectOutput out, KeyEncoder keys, Slices slices, boolean points)
    {
        boolean single = keys.comparator().size() == 0 && slices.size() > 0;
        int count = single ? 1 : slices.size();
        out.putInt(count);
        for (int i = 0; i < count; i++)
        {
            Slice slice = slices.get(i);
            int start = out.beginLength();
            check(slice.start(), points ? keys.putClusteringOf(out, slice.start()) : keys.putClustering(out, slice.start()));
            out.endLength(start);
            if (points)
                continue;
            start = out.beginLength();
            check(slice.end(), keys.putClustering(out, slice.end()));
            out.endLength(start);
        }
    }

    private static void check(ClusteringBound<?> bound, boolean known)
    {
        if (!known)
            throw UncheckedBytes.refuse(bound);
    }

    /** True if every slice is one full clustering; a table without clustering columns has but one row to ask for. */
    static boolean arePoints(KeyEncoder keys, Slices slices)
    {
        int full = keys.comparator().size();
        if (full == 0)
            return true;
        for (int i = 0, size = slices.size(); i < size; i++)
            if (!isPoint(slices.get(i), full))
                return false;
        return true;
    }

    static boolean isWhole(Slices slices)
    {
        return slices.size() == 1 && slices.get(0).start().isBottom() && slices.get(0).end().isTop();
    }

    private static boolean isPoint(Slice slice, int full)
    {
        ClusteringBound<?> start = slice.start();
        ClusteringBound<?> end = slice.end();
        return start.kind() == ClusteringPrefix.Kind.INCL_START_BOUND && end.kind() == ClusteringPrefix.Kind.INCL_END_BOUND
               && start.size() == full && end.size() == full && equal(start, end, full);
    }

    private static <S, E> boolean equal(ClusteringPrefix<S> start, ClusteringPrefix<E> end, int size)
    {
        for (int i = 0; i < size; i++)
        {
            S from = start.get(i);
            E to = end.get(i);
            if (from == to)
                continue;
            if (from == null || to == null || !ValueAccessor.equals(from, start.accessor(), to, end.accessor()))
                return false;
        }
        return true;
    }
}
