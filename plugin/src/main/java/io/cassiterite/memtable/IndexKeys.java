/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.util.Arrays;
import java.util.List;

import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.ClusteringBound;
import org.apache.cassandra.db.ClusteringComparator;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.marshal.AbstractType;
import org.apache.cassandra.utils.bytecomparable.ByteComparable;

import io.cassiterite.engine.Buffers;
import io.cassiterite.engine.DirectOutput;

import static org.apache.cassandra.utils.bytecomparable.ByteSource.NEXT_COMPONENT;
import static org.apache.cassandra.utils.bytecomparable.ByteSource.TERMINATOR;

/**
 * The keys of an index (docs/internals/index.md): the value as a partition, under it the key of the row that has the
 * value. Both sort as Cassandra sorts values and rows. Positions are composed in the thread's request buffer. Immutable and
 * thread-safe.
 */
public final class IndexKeys
{
    /** The smallest and the largest position among rows. */
    private static final byte[] FIRST = { 0x20 };
    private static final byte[] LAST = { 0x60 };
    private static final long TOKEN = 0;
    private static final int BEHIND = 0xFF;

    private final KeyEncoder values;
    private final KeyEncoder rows;
    private final KeyEncoder paths;

    /**
     * @param valueTypes of the parts of a value; there are two where it is an entry of a map
     * @param rows       the order of the table's rows in their partition
     * @param pathType   of the path that tells equal values of a collection apart; null if there is none
     */
    public IndexKeys(List<AbstractType<?>> valueTypes, ClusteringComparator rows, AbstractType<?> pathType)
    {
        this.values = new KeyEncoder(new ClusteringComparator(valueTypes));
        this.rows = new KeyEncoder(rows);
        this.paths = pathType == null ? null : new KeyEncoder(new ClusteringComparator(pathType));
    }

    /** Writes the partition of a value, behind its length. */
    void putValue(DirectOutput out, Clustering<?> value)
    {
        int start = out.beginLength();
        putPartition(out, value);
        out.endLength(start);
    }

    /** Writes the position before the entries of a value, or after them, behind its length; nothing for no value. */
    void putBound(DirectOutput out, Clustering<?> value, boolean isBefore)
    {
        int start = out.beginLength();
        if (value != null)
            putPartition(out, value);
        if (value != null && !isBefore)
            out.putByte(BEHIND);
        out.endLength(start);
    }

    private void putPartition(DirectOutput out, Clustering<?> value)
    {
        int start = out.length();
        values.putClustering(out, value);
        byte[] form = out.copyFrom(start);
        out.truncate(start);
        out.putByte(NEXT_COMPONENT);
        out.putBigEndianLong(TOKEN ^ Long.MIN_VALUE);
        out.putByte(NEXT_COMPONENT);
        KeyEncoder.putEscaped(out, form);
        out.putByte(TERMINATOR);
    }

    /** Writes the key of an entry under its value, behind its length. */
    void putRow(DirectOutput out, DecoratedKey key, Clustering<?> row, Clustering<?> path)
    {
        int start = out.beginLength();
        putRowKey(out, key, row);
        if (path != null)
            paths.putClustering(out, path);
        out.endLength(start);
    }

    private void putRowKey(DirectOutput out, DecoratedKey key, Clustering<?> row)
    {
        KeyEncoder.putPartition(out, key);
        out.putByte(row == null ? Fragments.KIND_STATIC : Fragments.KIND_ROW);
        if (row != null)
            rows.putClustering(out, row);
    }

    /** The position before the entries of a row, or of a partition if the row is null. */
    public byte[] before(DecoratedKey key, Clustering<?> row)
    {
        DirectOutput out = Buffers.request();
        putRowKey(out, key, row);
        return out.copyFrom(0);
    }

    /** The position after the entries that {@link #before} names. */
    public static byte[] after(byte[] before)
    {
        byte[] after = Arrays.copyOf(before, before.length + 1);
        after[before.length] = (byte) BEHIND;
        return after;
    }

    /** The position of a bound of rows of a partition. */
    public byte[] at(DecoratedKey key, ClusteringBound<?> bound)
    {
        DirectOutput out = Buffers.request();
        KeyEncoder.putPartition(out, key);
        out.putByte(Fragments.KIND_ROW);
        rows.putClustering(out, bound);
        return out.copyFrom(0);
    }

    /** The position before all rows, or, if {@code position} is not null, there. */
    public static byte[] from(ByteComparable position)
    {
        return position == null ? FIRST : bytes(position);
    }

    /** The position after all rows, or, if {@code position} is not null, there. */
    public static byte[] to(ByteComparable position)
    {
        return position == null ? LAST : bytes(position);
    }

    private static byte[] bytes(ByteComparable position)
    {
        DirectOutput out = Buffers.request();
        out.putSource(position.asComparableBytes(KeyEncoder.VERSION));
        return out.copyFrom(0);
    }
}
