/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.nio.ByteBuffer;
import java.util.Arrays;
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
        assertEquals(Integer.signum(type.compare(left, right)), Integer.signum(compared),
                     () -> type + ": " + ByteBufferUtil.bytesToHex(left) + " and " + ByteBufferUtil.bytesToHex(right));
    }

    private byte[] form(KeyEncoder encoder, ByteBuffer value)
    {
        out.clear();
        encoder.putClustering(out, Clustering.make(value));
        return out.copyFrom(0);
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
