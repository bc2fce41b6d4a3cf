/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.util.List;

import org.apache.cassandra.db.Clustering;

import io.cassiterite.engine.Answer;
import io.cassiterite.engine.Buffers;
import io.cassiterite.engine.DirectOutput;
import io.cassiterite.engine.Table;

/** Reads the live entries of one value, or of several, in the order of their keys. For one thread; must be closed. */
public final class IndexReader implements AutoCloseable
{
    private static final int CHUNK_BYTES = 16 << 10;

    private final Answer answer;
    private final IndexKeys keys;
    private final int columns;
    private final boolean hasPath;
    private final long nowInSec;

    private IndexReader(Answer answer, IndexKeys keys, int columns, boolean hasPath, long nowInSec)
    {
        this.answer = answer;
        this.keys = keys;
        this.columns = columns;
        this.hasPath = hasPath;
        this.nowInSec = nowInSec;
    }

    /**
     * Opens a reader.
     *
     * @param columns the number of clustering columns; -1 if values are the whole partition's
     * @param slices  pairs of positions, in order; nothing where there are none
     */
    public static IndexReader open(Table index, IndexKeys keys, Clustering<?> value, List<byte[]> slices, int columns, boolean hasPath,
                                   long nowInSec, Answer.Watch watch)
    {
        DirectOutput request = Buffers.request();
        ReadRequests.begin(request, 0, CHUNK_BYTES, ReadRequests.NO_BOUND);
        keys.putValue(request, value);
        putSlices(request, slices);
        return new IndexReader(index.read(request, watch), keys, columns, hasPath, nowInSec);
    }

    /** Opens a reader of the entries of all values in a range, value by value; the others are as for {@link #open}. */
    public static IndexReader openRange(Table index, IndexKeys keys, ValueRange values, List<byte[]> slices, int columns, boolean hasPath,
                                        long nowInSec, Answer.Watch watch)
    {
        DirectOutput request = Buffers.request();
        ReadRequests.begin(request, 0, CHUNK_BYTES, ReadRequests.NO_BOUND);
        keys.putBound(request, values.from, values.isFromIncluded);
        keys.putBound(request, values.to, !values.isToIncluded);
        putSlices(request, slices);
        return new IndexReader(index.scan(request, watch), keys, columns, hasPath, nowInSec);
    }

    private static void putSlices(DirectOutput request, List<byte[]> slices)
    {
        request.putInt(slices.size() / 2);
        for (byte[] position : slices)
        {
            request.putInt(position.length);
            request.putBytes(position, 0, position.length);
        }
    }

    /** The next entry; null at the end. */
    public IndexEntry next()
    {
        while (answer.next())
        {
            if (answer.kind() != Answer.ROW)
                continue;
            IndexEntry entry = IndexEntry.read(answer.buffer(), answer.start(), answer.end(), keys, columns, hasPath, nowInSec);
            if (entry != null)
                return entry;
        }
        return null;
    }

    @Override
    public void close()
    {
        answer.close();
    }
}
