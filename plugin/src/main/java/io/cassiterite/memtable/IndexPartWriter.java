/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.nio.ByteBuffer;

import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.LivenessInfo;
import org.apache.cassandra.db.marshal.ByteBufferAccessor;

import io.cassiterite.engine.DirectOutput;

/**
 * Writes what a write request has for one index (docs/internals/boundary.md, "Write request"). For one request at a time;
 * not thread-safe.
 */
public final class IndexPartWriter
{
    private static final int VERSION = 2;
    private static final int SMALLEST_BYTES = 4;
    private static final int COUNT_BYTES = 12;

    private final IndexKeys keys;
    private final boolean isRounding;
    private DirectOutput out;
    private int start;
    private int count;
    private long smallest;
    private int fragment;

    /** @param isRounding whether entries have {@link IndexEntry#rounded} times */
    public IndexPartWriter(IndexKeys keys, boolean isRounding)
    {
        this.keys = keys;
        this.isRounding = isRounding;
    }

    /** Makes a complete request of one partition update one that parts for indexes follow. */
    static void beginParts(DirectOutput request, int parts)
    {
        request.setByte(0, VERSION);
        request.putInt(parts);
    }

    /** Begins a request that has parts for indexes, and no rows. */
    public static void beginRequest(DirectOutput request, DecoratedKey anyKey, int parts)
    {
        request.putByte(VERSION);
        request.putLong(Long.MAX_VALUE);
        int start = request.beginLength();
        KeyEncoder.putPartition(request, anyKey);
        request.endLength(start);
        request.putInt(0);
        request.putInt(parts);
    }

    /** Begins the part of an index. */
    public void begin(DirectOutput request, int number)
    {
        out = request;
        start = request.length();
        count = 0;
        smallest = Long.MAX_VALUE;
        request.putInt(number);
        request.putLong(smallest);
        request.putInt(count);
    }

    /** Ends the part. @return how many entries it has */
    public int end()
    {
        out.setLong(start + SMALLEST_BYTES, smallest);
        out.setInt(start + COUNT_BYTES, count);
        out = null;
        return count;
    }

    /**
     * Adds an entry.
     *
     * @param row  null if the value is the whole partition's
     * @param path tells equal values of a collection apart; null if the index has none
     */
    public void put(Clustering<?> value, DecoratedKey key, Clustering<?> row, Clustering<?> path, LivenessInfo liveness)
    {
        boolean expires = liveness.isExpiring();
        long timestamp = liveness.timestamp();
        // one that expires must not take the place of one that stays, and is newer
        if (isRounding && !expires)
            timestamp = IndexEntry.rounded(timestamp);
        boolean isRounded = IndexEntry.isRounded(timestamp);
        begin(value, key, row, path, timestamp,
              IndexEntry.LIVE | (expires ? IndexEntry.EXPIRING : 0) | (isRounded ? IndexEntry.ROUNDED : 0));
        if (isRounded)
            out.putUnsignedVarint(timestamp / IndexEntry.TICK);
        else
            out.putLong(timestamp);
        if (expires)
        {
            out.putUnsignedVarint(liveness.ttl());
            out.putUnsignedVarint(liveness.localExpirationTime());
        }
        out.endLength(fragment);
    }

    /** Removes an entry, unless one with a larger timestamp comes. */
    public void delete(Clustering<?> value, DecoratedKey key, Clustering<?> row, Clustering<?> path, long timestamp, long deletedSeconds)
    {
        begin(value, key, row, path, timestamp, IndexEntry.DELETION);
        out.putLong(timestamp);
        out.putUnsignedVarint(deletedSeconds);
        out.endLength(fragment);
    }

    private void begin(Clustering<?> value, DecoratedKey key, Clustering<?> row, Clustering<?> path, long timestamp, int flags)
    {
        keys.putValue(out, value);
        keys.putRow(out, key, row, path);
        fragment = out.beginLength();
        boolean isNamed = keys.namesRow(row, path);
        out.putByte(IndexEntry.VERSION | flags | (isNamed ? 0 : IndexEntry.NAMES));
        if (!isNamed)
            RawClusterings.put(out, components(row, path));
        smallest = Math.min(smallest, timestamp);
        count++;
    }

    /** Clustering and path as they were written. */
    private static Clustering<?> components(Clustering<?> row, Clustering<?> path)
    {
        int columns = row == null ? 0 : row.size();
        ByteBuffer[] values = new ByteBuffer[columns + (path == null ? 0 : 1)];
        for (int i = 0; i < columns; i++)
            values[i] = row.bufferAt(i);
        if (path != null)
            values[columns] = path.bufferAt(0);
        return ByteBufferAccessor.instance.factory().clustering(values);
    }
}
