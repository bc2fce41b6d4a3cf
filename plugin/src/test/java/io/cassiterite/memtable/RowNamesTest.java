/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.function.Supplier;

import org.junit.jupiter.api.Test;

import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.ClusteringComparator;
import org.apache.cassandra.db.marshal.AbstractType;
import org.apache.cassandra.db.marshal.AsciiType;
import org.apache.cassandra.db.marshal.ByteBufferAccessor;
import org.apache.cassandra.db.marshal.BytesType;
import org.apache.cassandra.db.marshal.DecimalType;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.marshal.LongType;
import org.apache.cassandra.db.marshal.ReversedType;
import org.apache.cassandra.db.marshal.TimeUUIDType;
import org.apache.cassandra.db.marshal.TimestampType;
import org.apache.cassandra.db.marshal.UTF8Type;
import org.apache.cassandra.db.marshal.UUIDType;
import org.apache.cassandra.utils.ByteBufferUtil;
import org.apache.cassandra.utils.TimeUUID;

import io.cassiterite.engine.DirectOutput;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What the key of an entry is trusted to give back, it gives back byte for byte. */
class RowNamesTest
{
    private static final int ROUNDS = 3_000;

    private final long seed = System.nanoTime();
    private final Random random = new Random(seed);

    @Test
    void componentsComeBack()
    {
        check(UTF8Type.instance, () -> ByteBufferUtil.bytes("aé\0\0b".substring(random.nextInt(6))));
        check(AsciiType.instance, () -> ByteBufferUtil.bytes("\0a\0".substring(random.nextInt(4))));
        check(BytesType.instance, () -> bytes(random.nextInt(6)));
        check(Int32Type.instance, () -> bytes(random.nextInt(8) == 0 ? 0 : 4));
        check(LongType.instance, () -> random.nextBoolean() ? bytes(random.nextInt(8) == 0 ? 0 : 8)
                                                            : LongType.instance.decompose(random.nextLong() >> random.nextInt(64)));
        check(TimestampType.instance, () -> bytes(random.nextInt(8) == 0 ? 0 : 8));
        check(UUIDType.instance, () -> random.nextInt(4) == 0 ? TimeUUIDType.instance.decompose(timeUuid()) : bytes(16));
        check(UUIDType.instance, () -> UUIDType.instance.decompose(UUID.randomUUID()));
        check(TimeUUIDType.instance, () -> TimeUUIDType.instance.decompose(timeUuid()));
    }

    private TimeUUID timeUuid()
    {
        return TimeUUID.fromBytes(random.nextLong() & ~0xF000L | 0x1000L, random.nextLong());
    }

    /** Rich in the bytes that escaping is about. */
    private ByteBuffer bytes(int size)
    {
        byte[] some = { 0, 0, 1, (byte) 0xFE, (byte) 0xFF, 0x38, 0x40 };
        byte[] bytes = new byte[size];
        for (int i = 0; i < size; i++)
            bytes[i] = random.nextInt(4) == 0 ? (byte) random.nextInt() : some[random.nextInt(some.length)];
        return ByteBuffer.wrap(bytes);
    }

    private void check(AbstractType<?> type, Supplier<ByteBuffer> values)
    {
        ClusteringComparator types = new ClusteringComparator(List.of(type, ReversedType.getInstance(type), type));
        for (int i = 0; i < ROUNDS; i++)
        {
            Clustering<?> written = of(values.get(), random.nextInt(9) == 0 ? null : values.get(), values.get());
            assertTrue(RowNames.comeBack(types, written));
            DirectOutput out = new DirectOutput();
            assertTrue(new KeyEncoder(types).putClustering(out, written));
            out.putByte(random.nextInt(256)); // what follows, as a path or a length, is not read
            ByteBuffer in = out.view().order(ByteOrder.LITTLE_ENDIAN);
            byte[][] read = RowNames.read(in, types);
            assertEquals(1, in.remaining());
            for (int at = 0; at < read.length; at++)
                assertArrayEquals(written.get(at) == null ? null : ByteBufferUtil.getArray(written.bufferAt(at)), read[at],
                                  type + " " + Arrays.toString(read) + ", seed " + seed);
        }
    }

    @Test
    void othersAreRepeated()
    {
        assertFalse(RowNames.comeBack(new ClusteringComparator(List.of(DecimalType.instance)), of(bytes(5))));
        // as files of other nodes may have them
        assertFalse(RowNames.comeBack(new ClusteringComparator(List.of(Int32Type.instance)), of(bytes(3))));
        assertFalse(RowNames.comeBack(new ClusteringComparator(List.of(LongType.instance)), of(bytes(9))));
        assertFalse(RowNames.comeBack(new ClusteringComparator(List.of(TimeUUIDType.instance)),
                                      of(UUIDType.instance.decompose(UUID.randomUUID()))));
        assertFalse(RowNames.comeBack(new ClusteringComparator(List.of(Int32Type.instance, DecimalType.instance)), of(bytes(4), bytes(5))));
    }

    private static Clustering<?> of(ByteBuffer... components)
    {
        return ByteBufferAccessor.instance.factory().clustering(components);
    }
}
