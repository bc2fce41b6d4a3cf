/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.ClusteringBound;
import org.apache.cassandra.db.ClusteringComparator;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.marshal.AbstractType;
import org.apache.cassandra.dht.Token;

import io.cassiterite.engine.Buffers;
import io.cassiterite.engine.DirectOutput;

/**
 * The keys of an index (docs/internals/formats.md, Index keys): the value as a partition, under it the row that has the
 * value. Values sort as Cassandra sorts them. Rows come in the order of half their tokens, those of one partition in
 * Cassandra's. Positions are composed in the thread's request buffer. Immutable and thread-safe.
 */
public final class IndexKeys
{
    /** What keys of an index begin with. */
    private static final int VALUE = 0x41;
    private static final int BEHIND = 0xFF;
    /** No clustering, path or length begins with so many of {@link #BEHIND}. */
    private static final int BEHIND_BYTES = 5;
    private static final int HALF_BITS = 32;
    /** The smallest and the largest position among rows. */
    private static final byte[] FIRST = { 0 };
    private static final byte[] LAST = new byte[Integer.BYTES + BEHIND_BYTES];

    static
    {
        Arrays.fill(LAST, (byte) BEHIND);
    }

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
        out.putByte(VALUE);
        values.putClustering(out, value);
    }

    /** Writes the row of an entry, behind its length. */
    void putRow(DirectOutput out, DecoratedKey key, Clustering<?> row, Clustering<?> path)
    {
        int start = out.beginLength();
        putRow(out, key, row);
        if (path != null)
            paths.putClustering(out, path);
        out.endLength(start);
    }

    private void putRow(DirectOutput out, DecoratedKey key, Clustering<?> row)
    {
        putKey(out, key);
        if (row != null && row.size() > 0)
            rows.putClustering(out, row);
    }

    private static void putKey(DirectOutput out, DecoratedKey key)
    {
        putHalf(out, key.getToken());
        ByteBuffer bytes = key.getKey();
        out.putUnsignedVarint(bytes.remaining());
        for (int i = bytes.position(); i < bytes.limit(); i++)
            out.putByte(bytes.get(i));
    }

    private static void putHalf(DirectOutput out, Token token)
    {
        out.putInt(Integer.reverseBytes(half(token) ^ Integer.MIN_VALUE));
    }

    /** The half of a token by which rows are sorted. */
    public static int half(Token token)
    {
        return (int) (token.getLongValue() >> HALF_BITS);
    }

    /** Whether the key of an entry says how its row and path were written. */
    boolean namesRow(Clustering<?> row, Clustering<?> path)
    {
        return (row == null || RowNames.comeBack(rows.comparator(), row))
               && (path == null || RowNames.comeBack(paths.comparator(), path));
    }

    /** Reads the row that {@link #putRow} has written: partition key, clustering, path. */
    byte[][] readNames(ByteBuffer in, boolean hasRow, boolean hasPath)
    {
        int columns = hasRow ? rows.comparator().size() : 0;
        byte[][] names = new byte[1 + columns + (hasPath ? 1 : 0)][];
        names[0] = readKey(in);
        if (columns > 0)
            System.arraycopy(RowNames.read(in, rows.comparator()), 0, names, 1, columns);
        if (hasPath)
            names[1 + columns] = RowNames.read(in, paths.comparator())[0];
        return names;
    }

    static byte[] readKey(ByteBuffer in)
    {
        in.getInt();
        byte[] key = new byte[Varints.readLength(in)];
        in.get(key);
        return key;
    }

    /** The position before the entries of a row, or of a partition if the row is null. */
    public byte[] before(DecoratedKey key, Clustering<?> row)
    {
        DirectOutput out = Buffers.request();
        putRow(out, key, row);
        return out.copyFrom(0);
    }

    /** The position after the entries that {@link #before} names. */
    public static byte[] after(byte[] before)
    {
        byte[] after = Arrays.copyOf(before, before.length + BEHIND_BYTES);
        Arrays.fill(after, before.length, after.length, (byte) BEHIND);
        return after;
    }

    /** The position of a bound of rows of a partition. */
    public byte[] at(DecoratedKey key, ClusteringBound<?> bound)
    {
        DirectOutput out = Buffers.request();
        putKey(out, key);
        rows.putClustering(out, bound);
        return out.copyFrom(0);
    }

    /** The position before all rows with half a token. */
    public static byte[] from(Token token)
    {
        DirectOutput out = Buffers.request();
        putHalf(out, token);
        return out.copyFrom(0);
    }

    /** The position after all rows with half a token. */
    public static byte[] to(Token token)
    {
        return after(from(token));
    }

    /** The position before all rows. */
    public static byte[] first()
    {
        return FIRST;
    }

    /** The position after all rows. */
    public static byte[] last()
    {
        return LAST;
    }
}
