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
    public final DecoratedKey key;
    /** Null if the value is the whole partition's. */
    public final Clustering<?> row;
    /** Tells equal values of a collection apart; null if the index has none. */
    public final Clustering<?> path;
    public final long timestamp;

    private IndexEntry(DecoratedKey key, Clustering<?> row, Clustering<?> path, long timestamp)
    {
        this.key = key;
        this.row = row;
        this.path = path;
        this.timestamp = timestamp;
    }

    /**
     * Reads an entry.
     *
     * @param columns the number of clustering columns; -1 if values are the whole partition's
     * @return null if it is not live any more
     */
    static IndexEntry read(ByteBuffer in, int start, int end, int columns, boolean hasPath, long nowInSec)
    {
        in.limit(end).position(start);
        try
        {
            return read(in, columns, hasPath, nowInSec);
        }
        finally
        {
            in.limit(in.capacity());
        }
    }

    private static IndexEntry read(ByteBuffer in, int columns, boolean hasPath, long nowInSec)
    {
        int version = in.get();
        if (version != Fragments.VERSION)
            throw new MalformedFragmentException("index entry version " + version);
        int flags = in.get();
        if ((flags & Fragments.CLUSTERING) == 0)
            throw new MalformedFragmentException("an index entry that names no row");
        int rowColumns = Math.max(columns, 0);
        byte[][] values = RawClusterings.readFull(in, 1 + rowColumns + (hasPath ? 1 : 0));
        if ((flags & Fragments.LIVENESS) == 0)
            return null;
        long timestamp = in.getLong();
        if ((flags & Fragments.EXPIRING) != 0)
        {
            Varints.read(in);
            if (Varints.read(in) <= nowInSec)
                return null;
        }
        DecoratedKey key = Murmur3Partitioner.instance.decorateKey(ByteBuffer.wrap(values[0]));
        Clustering<?> path = hasPath ? new ArrayClustering(values[1 + rowColumns]) : null;
        return new IndexEntry(key, columns < 0 ? null : row(values, columns), path, timestamp);
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
