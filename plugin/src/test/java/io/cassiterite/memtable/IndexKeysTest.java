/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

import org.junit.jupiter.api.Test;

import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.ClusteringComparator;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.marshal.AbstractType;
import org.apache.cassandra.db.marshal.ByteBufferAccessor;
import org.apache.cassandra.db.marshal.BytesType;
import org.apache.cassandra.db.marshal.DecimalType;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.marshal.UTF8Type;
import org.apache.cassandra.dht.Murmur3Partitioner;

import io.cassiterite.engine.DirectOutput;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Keys of entries sort as values and rows do. */
class IndexKeysTest
{
    private static final ClusteringComparator ROWS = new ClusteringComparator(List.of(Int32Type.instance));
    private static final int ROUNDS = 2_000;

    private final long seed = System.nanoTime();
    private final Random random = new Random(seed);

    @Test
    void valuesSortAsTheirTypeDoes()
    {
        check(Int32Type.instance, () -> Int32Type.instance.decompose(random.nextInt(9) - 4));
        check(UTF8Type.instance, () -> UTF8Type.instance.decompose("aé\0b".substring(random.nextInt(4))));
        check(DecimalType.instance, () -> {
            BigDecimal number = new BigDecimal(random.nextInt(50) - 25);
            return DecimalType.instance.decompose(number.movePointLeft(random.nextInt(3)));
        });
        check(BytesType.instance, () -> {
            byte[] bytes = new byte[random.nextInt(4)];
            for (int i = 0; i < bytes.length; i++)
                bytes[i] = (byte) (random.nextInt(3) - 1);
            return ByteBuffer.wrap(bytes);
        });
    }

    private void check(AbstractType<?> type, Supplier<ByteBuffer> values)
    {
        IndexKeys keys = new IndexKeys(List.of(type), ROWS, null);
        for (int i = 0; i < ROUNDS; i++)
        {
            ByteBuffer left = values.get();
            ByteBuffer right = values.get();
            int order = Arrays.compareUnsigned(partition(keys, left), partition(keys, right));
            assertEquals(Integer.signum(type.compare(left, right)), Integer.signum(order),
                         () -> type + ": " + type.getString(left) + ", " + type.getString(right) + ", seed " + seed);
        }
    }

    private static byte[] partition(IndexKeys keys, ByteBuffer value)
    {
        DirectOutput out = new DirectOutput();
        keys.putValue(out, value(value));
        return out.copyFrom(4);
    }

    private static Clustering<?> value(ByteBuffer... parts)
    {
        return ByteBufferAccessor.instance.factory().clustering(parts);
    }

    @Test
    void rowsSortAsTheirTableDoesAndPathsUnderThem()
    {
        IndexKeys keys = new IndexKeys(List.of(UTF8Type.instance), ROWS, BytesType.instance);
        for (int i = 0; i < ROUNDS; i++)
        {
            DecoratedKey left = Murmur3Partitioner.instance.decorateKey(Int32Type.instance.decompose(random.nextInt(3)));
            DecoratedKey right = Murmur3Partitioner.instance.decorateKey(Int32Type.instance.decompose(random.nextInt(3)));
            Clustering<?> leftRow = value(Int32Type.instance.decompose(random.nextInt(3) - 1));
            Clustering<?> rightRow = value(Int32Type.instance.decompose(random.nextInt(3) - 1));
            int expected = left.compareTo(right) != 0 ? left.compareTo(right) : ROWS.compare(leftRow, rightRow);
            byte[] entry = row(keys, left, leftRow, value(ByteBuffer.wrap(new byte[]{ (byte) random.nextInt() })));
            int order = Arrays.compareUnsigned(entry, keys.before(right, rightRow));
            assertEquals(expected < 0 ? -1 : 1, Integer.signum(order), "seed " + seed);
            int partition = Arrays.compareUnsigned(entry, keys.before(right, null));
            assertEquals(left.compareTo(right) < 0 ? -1 : 1, Integer.signum(partition), "seed " + seed);
        }
    }

    private static byte[] row(IndexKeys keys, DecoratedKey key, Clustering<?> row, Clustering<?> path)
    {
        DirectOutput out = new DirectOutput();
        keys.putRow(out, key, row, path);
        return out.copyFrom(4);
    }
}
