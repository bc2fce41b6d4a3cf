/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.BeforeContainer;

import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.ClusteringComparator;
import org.apache.cassandra.db.ClusteringPrefix;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.marshal.AbstractType;
import org.apache.cassandra.db.marshal.ByteBufferAccessor;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.marshal.LongType;
import org.apache.cassandra.db.marshal.ReversedType;
import org.apache.cassandra.db.marshal.ShortType;
import org.apache.cassandra.db.marshal.SimpleDateType;
import org.apache.cassandra.db.marshal.TimeType;
import org.apache.cassandra.db.marshal.TimestampType;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.ByteBufferUtil;
import org.apache.cassandra.utils.bytecomparable.ByteComparable;
import org.apache.cassandra.utils.bytecomparable.ByteSourceInverse;

import io.cassiterite.engine.DirectOutput;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

/** Keys sort as their types define, and are, byte for byte, Cassandra's byte-comparable form where that form sorts so, too. */
class KeyEncoderProperties
{
    private static final List<AbstractType<?>> INTEGERS = List.of(Int32Type.instance, LongType.instance, TimestampType.instance,
                                                                  ShortType.instance, SimpleDateType.instance, TimeType.instance);

    private final DirectOutput out = new DirectOutput();

    @BeforeContainer
    static void initialize()
    {
        TestNode.initialize();
    }

    @Property(tries = 2000)
    void partitionsAreAsComparableBytes(@ForAll byte[] key)
    {
        DecoratedKey decorated = Murmur3Partitioner.instance.decorateKey(ByteBuffer.wrap(key));
        out.clear();
        KeyEncoder.putPartition(out, decorated);
        assertArrayEquals(bytes(decorated), out.copyFrom(0));
    }

    @Property(tries = 3000)
    void clusteringsAndBoundsAreAsByteComparable(@ForAll long seed)
    {
        Random random = new Random(seed);
        TableMetadata metadata = RandomTable.any(random);
        Assume.that(metadata.clusteringColumns().stream().map(column -> column.type.unwrap()).allMatch(RandomTable.NATIVE::contains));
        RandomRow rows = RandomRow.mergedInAnyOrder(random, metadata);
        KeyEncoder encoder = new KeyEncoder(metadata.comparator);
        ClusteringPrefix<?>[] prefixes = { rows.clustering(), rows.bound(true), rows.bound(false), withNull(rows.clustering()) };
        for (ClusteringPrefix<?> prefix : prefixes)
        {
            out.clear();
            encoder.putClustering(out, prefix);
            assertArrayEquals(bytes(metadata.comparator.asByteComparable(prefix)), out.copyFrom(0),
                              () -> prefix.toString(metadata));
        }
    }

    @Property(tries = 20_000)
    void valuesAreAsTheirTypeComparesThem(@ForAll long seed)
    {
        Random random = new Random(seed);
        AbstractType<?> type = RandomTable.keyType(random);
        KeyEncoder encoder = new KeyEncoder(new ClusteringComparator(type));
        ByteBuffer left = RandomValue.value(random, type);
        ByteBuffer right = RandomValue.value(random, type);
        int compared = Arrays.compareUnsigned(form(encoder, left), form(encoder, right));
        assertEquals(Integer.signum(type.compare(left, right)), Integer.signum(compared), () -> described(type, left, right));
    }

    /** As a client may bind it: a collection with a count below zero, a varint behind sign bytes, whatever the checks let through. */
    @Property(tries = 40_000)
    void whatPassesTheChecksIsAKey(@ForAll long seed)
    {
        Random random = new Random(seed);
        AbstractType<?> type = RandomTable.keyType(random);
        KeyEncoder encoder = new KeyEncoder(new ClusteringComparator(type));
        ByteBuffer left = AcceptedBytes.any(random, type);
        ByteBuffer right = random.nextBoolean() ? AcceptedBytes.of(random, type, left) : AcceptedBytes.any(random, type);
        int compared = Arrays.compareUnsigned(form(encoder, left), form(encoder, right));
        int expected = compare(type, left, right, compared);
        assertEquals(expected, Integer.signum(compared), () -> described(type, left, right));
    }

    /** Cassandra does not check the bound that a client gives as a tuple. */
    @Property(tries = 20_000)
    void anyBytesAreAPosition(@ForAll long seed)
    {
        Random random = new Random(seed);
        AbstractType<?> type = RandomTable.keyType(random);
        KeyEncoder encoder = new KeyEncoder(new ClusteringComparator(type));
        ByteBuffer bytes = AcceptedBytes.spoilt(random, type);
        assertArrayEquals(form(encoder, bytes), form(encoder, bytes.duplicate()));
    }

    /** What is not refused as a bound sorts as in Cassandra, which does not check it either. */
    @Property(tries = 40_000)
    void uncheckedBytesWithAPositionSort(@ForAll long seed)
    {
        Random random = new Random(seed);
        AbstractType<?> type = RandomTable.keyType(random);
        KeyEncoder encoder = new KeyEncoder(new ClusteringComparator(type));
        ByteBuffer left = AcceptedBytes.spoilt(random, type);
        ByteBuffer right = AcceptedBytes.any(random, type);
        Assume.that(UncheckedBytes.havePosition(type, ByteBufferAccessor.instance, left));
        int compared = Arrays.compareUnsigned(form(encoder, left), form(encoder, right));
        assertEquals(compare(type, left, right, compared), Integer.signum(compared), () -> described(type, left, right));
    }

    /** Integers of any length: their comparators go by bytes. */
    @Property(tries = 20_000)
    void integersOfAnyLengthSort(@ForAll long seed)
    {
        Random random = new Random(seed);
        AbstractType<?> integer = RandomTable.pick(random, INTEGERS);
        AbstractType<?> type = random.nextBoolean() ? integer : ReversedType.getInstance(integer);
        ClusteringComparator comparator = new ClusteringComparator(type, Int32Type.instance);
        KeyEncoder encoder = new KeyEncoder(comparator);
        Clustering<?> left = Clustering.make(fewBytes(random), Int32Type.instance.decompose(random.nextInt(3) - 1));
        Clustering<?> right = Clustering.make(fewBytes(random), Int32Type.instance.decompose(random.nextInt(3) - 1));
        int compared = Arrays.compareUnsigned(form(encoder, left), form(encoder, right));
        assertEquals(Integer.signum(comparator.compare(left, right)), Integer.signum(compared),
                     () -> described(type, left.bufferAt(0), right.bufferAt(0)));
    }

    private static ByteBuffer fewBytes(Random random)
    {
        byte[] bytes = new byte[1 + random.nextInt(10)];
        for (int i = 0; i < bytes.length; i++)
            bytes[i] = (byte) (random.nextInt(3) - 1);
        return ByteBuffer.wrap(bytes);
    }

    /** @param other the result where the type's comparator fails, of a decimal without digits */
    private static int compare(AbstractType<?> type, ByteBuffer left, ByteBuffer right, int other)
    {
        try
        {
            return Integer.signum(type.compare(left, right));
        }
        catch (RuntimeException | AssertionError e)
        {
            return left.equals(right) ? 0 : Integer.signum(other);
        }
    }

    private static String described(AbstractType<?> type, ByteBuffer left, ByteBuffer right)
    {
        return type + ": " + ByteBufferUtil.bytesToHex(left) + " and " + ByteBufferUtil.bytesToHex(right);
    }

    private byte[] form(KeyEncoder encoder, Clustering<?> clustering)
    {
        out.clear();
        encoder.putClustering(out, clustering);
        return out.copyFrom(0);
    }

    private byte[] form(KeyEncoder encoder, ByteBuffer value)
    {
        return form(encoder, Clustering.make(value));
    }

    private static Clustering<?> withNull(Clustering<?> clustering)
    {
        ByteBuffer[] values = new ByteBuffer[clustering.size()];
        for (int i = 0; i < values.length - 1; i++)
            values[i] = clustering.bufferAt(i);
        return Clustering.make(values);
    }

    private static byte[] bytes(ByteComparable comparable)
    {
        return ByteSourceInverse.readBytes(comparable.asComparableBytes(KeyEncoder.VERSION));
    }
}
