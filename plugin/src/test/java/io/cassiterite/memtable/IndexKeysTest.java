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
import static org.junit.jupiter.api.Assertions.assertTrue;

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

    /** Rows of one partition sort as their table does, paths under them; partitions by half their tokens. */
    @Test
    void rowsSortByHalfTokensAndThenAsTheirTableDoes()
    {
        IndexKeys keys = new IndexKeys(List.of(UTF8Type.instance), ROWS, BytesType.instance);
        for (int i = 0; i < ROUNDS; i++)
        {
            DecoratedKey left = key();
            DecoratedKey right = key();
            Clustering<?> leftRow = value(Int32Type.instance.decompose(random.nextInt(3) - 1));
            Clustering<?> rightRow = value(Int32Type.instance.decompose(random.nextInt(3) - 1));
            byte[] entry = row(keys, left, leftRow, value(ByteBuffer.wrap(new byte[]{ (byte) random.nextInt() })));
            int byHalf = Integer.compare(IndexKeys.half(left.getToken()), IndexKeys.half(right.getToken()));
            int toPartition = Arrays.compareUnsigned(entry, keys.before(right, null));
            int toRow = Arrays.compareUnsigned(entry, keys.before(right, rightRow));
            if (byHalf != 0)
                assertEquals(byHalf, Integer.signum(toRow), "seed " + seed);
            else if (left.equals(right))
                assertEquals(ROWS.compare(leftRow, rightRow) < 0 ? -1 : 1, Integer.signum(toRow), "seed " + seed);
            boolean isAfter = Arrays.compareUnsigned(entry, IndexKeys.after(keys.before(right, null))) > 0;
            assertEquals(left.equals(right), toPartition > 0 && !isAfter, "seed " + seed);
            assertTrue(Arrays.compareUnsigned(entry, IndexKeys.from(left.getToken())) > 0
                       && Arrays.compareUnsigned(entry, IndexKeys.to(left.getToken())) < 0
                       && Arrays.compareUnsigned(entry, IndexKeys.first()) > 0
                       && Arrays.compareUnsigned(entry, IndexKeys.last()) < 0, "seed " + seed);
        }
    }

    /** Some have half a token in common, some the smallest and the largest. */
    private DecoratedKey key()
    {
        long[] halves = { Long.MIN_VALUE, -1L << 32, 0, 0x7FFF_FFFFL << 32 };
        long token = halves[random.nextInt(halves.length)] + random.nextInt(3);
        return Murmur3Partitioner.instance.decorateKey(Murmur3Partitioner.LongToken.keyForToken(token == Long.MIN_VALUE ? 1 : token));
    }

    private static byte[] row(IndexKeys keys, DecoratedKey key, Clustering<?> row, Clustering<?> path)
    {
        DirectOutput out = new DirectOutput();
        keys.putRow(out, key, row, path);
        return out.copyFrom(4);
    }
}
