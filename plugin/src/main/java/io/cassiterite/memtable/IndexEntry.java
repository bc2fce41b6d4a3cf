/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.nio.ByteBuffer;

import org.apache.cassandra.db.ArrayClustering;
import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.dht.Murmur3Partitioner;

/** A live entry of an index: the row that had the value, at some time. Immutable. */
public final class IndexEntry
{
    static final int VERSION = 0x20;
    private static final int VERSION_BITS = 0xE0;
    static final int NAMES = 0x01;
    static final int LIVE = 0x02;
    static final int EXPIRING = 0x04;
    static final int DELETION = 0x08;
    static final int ROUNDED = 0x10;
    /** Of rounded times, in microseconds. */
    static final long TICK = 1L << 26;
    private static final long TICKS_MAX = 0xFFFF_FFFFL;
    private static final int LONG = 0xFF;

    public final DecoratedKey key;
    /** Null if the value is the whole partition's. */
    public final Clustering<?> row;
    /** Tells equal values of a collection apart; null if the index has none. */
    public final Clustering<?> path;
    /** At least that of the write of the value. */
    public final long timestamp;

    private IndexEntry(DecoratedKey key, Clustering<?> row, Clustering<?> path, long timestamp)
    {
        this.key = key;
        this.row = row;
        this.path = path;
        this.timestamp = timestamp;
    }

    /**
     * Reads an entry, and behind it the row that its key names.
     *
     * @param columns the number of clustering columns; -1 if values are the whole partition's
     * @return null if it is not live any more
     */
    static IndexEntry read(ByteBuffer in, int start, int end, IndexKeys keys, int columns, boolean hasPath, long nowInSec)
    {
        int row = rowStart(in, start, end);
        in.limit(end).position(start);
        try
        {
            return read(in, row, keys, columns, hasPath, nowInSec);
        }
        finally
        {
            in.limit(in.capacity());
        }
    }

    /** The length of the row is behind it: in one byte, or before that where it does not fit. */
    private static int rowStart(ByteBuffer in, int start, int end)
    {
        int last = end > start ? in.get(end - 1) & 0xFF : LONG;
        int tail = last == LONG ? 1 + Integer.BYTES : 1;
        if (end - start <= tail)
            throw new MalformedFragmentException("an index entry that names no row");
        int length = last == LONG ? in.getInt(end - tail) : last;
        if (length < 0 || length >= end - tail - start)
            throw new MalformedFragmentException("an index entry with a row of " + length + " bytes");
        return end - tail - length;
    }

    private static IndexEntry read(ByteBuffer in, int row, IndexKeys keys, int columns, boolean hasPath, long nowInSec)
    {
        int head = in.get();
        if ((head & VERSION_BITS) != VERSION)
            throw new MalformedFragmentException("index entry version " + head);
        int rowColumns = Math.max(columns, 0);
        byte[][] written = (head & NAMES) == 0 ? null : RawClusterings.readFull(in, rowColumns + (hasPath ? 1 : 0));
        if ((head & LIVE) == 0)
            return null;
        long timestamp = (head & ROUNDED) == 0 ? in.getLong() : Varints.read(in) * TICK;
        if ((head & EXPIRING) != 0)
        {
            Varints.read(in);
            if (Varints.read(in) <= nowInSec)
                return null;
        }
        in.position(row);
        byte[][] names;
        if (written == null)
            names = keys.readNames(in, columns >= 0, hasPath);
        else
        {
            names = new byte[1 + written.length][];
            names[0] = IndexKeys.readKey(in);
            System.arraycopy(written, 0, names, 1, written.length);
        }
        DecoratedKey key = Murmur3Partitioner.instance.decorateKey(ByteBuffer.wrap(names[0]));
        Clustering<?> path = hasPath ? new ArrayClustering(names[1 + rowColumns]) : null;
        return new IndexEntry(key, columns < 0 ? null : row(names, columns), path, timestamp);
    }

    /**
     * The time that an entry has instead of a write's, so that many entries have the same: at least that, and less than 68
     * seconds more. A stale entry is deleted at its own time, for something that is newer: so this makes deletions rarer.
     */
    static long rounded(long timestamp)
    {
        if (timestamp <= 0 || timestamp > TICKS_MAX * TICK)
            return timestamp;
        return (timestamp + TICK - 1) / TICK * TICK;
    }

    /** Whether a time is written as a number of ticks. */
    static boolean isRounded(long timestamp)
    {
        return timestamp >= 0 && timestamp % TICK == 0 && timestamp / TICK <= TICKS_MAX;
    }

    private static Clustering<?> row(byte[][] values, int columns)
    {
        if (columns == 0)
            return Clustering.EMPTY;
        byte[][] components = new byte[columns][];
        System.arraycopy(values, 1, components, 0, columns);
        return new ArrayClustering(components);
    }
}
