/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.LivenessInfo;
import org.apache.cassandra.db.marshal.AbstractType;
import org.apache.cassandra.db.marshal.ByteBufferAccessor;
import org.apache.cassandra.db.marshal.BytesType;
import org.apache.cassandra.db.marshal.DecimalType;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.marshal.UTF8Type;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.schema.TableMetadata;

import io.cassiterite.engine.Buffers;
import io.cassiterite.engine.DirectOutput;
import io.cassiterite.engine.Store;
import io.cassiterite.engine.Table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Entries come back from the engine as they were written, but for the times of those that are rounded. */
class IndexEntriesTest
{
    private static final Clustering<?> VALUE = of(UTF8Type.instance.decompose("red"));
    private static final AbstractType<?>[][] COLUMNS = { {}, { Int32Type.instance }, { UTF8Type.instance, DecimalType.instance } };
    private static final long NOW_S = 1_000;
    private static final long TICK = 1L << 26;

    private static Store store;
    private static int indexes;

    private final long seed = System.nanoTime();
    private final Random random = new Random(seed);

    @BeforeAll
    static void open()
    {
        TestNode.initialize();
        store = TestMemtable.openStore("index-entries");
    }

    @AfterAll
    static void close()
    {
        store.close();
    }

    private static Clustering<?> of(ByteBuffer... components)
    {
        return ByteBufferAccessor.instance.factory().clustering(components);
    }

    /** An index of a table with these clustering columns, whose values have a path of a type or none. */
    private static final class Written
    {
        private final TableMetadata metadata;
        private final Table table;
        private final IndexKeys keys;
        private final int number;
        private final String name = "i" + indexes++;
        private final boolean hasPath;
        private DirectOutput request;

        private Written(AbstractType<?> pathType, AbstractType<?>... columns)
        {
            TableMetadata.Builder builder = TableMetadata.builder("ks", "t" + name).addPartitionKeyColumn("p", BytesType.instance);
            for (int i = 0; i < columns.length; i++)
                builder.addClusteringColumn("c" + i, columns[i]);
            metadata = builder.addRegularColumn("v", UTF8Type.instance).build();
            table = TestMemtable.open(store, metadata).table();
            keys = new IndexKeys(List.of(UTF8Type.instance), metadata.comparator, pathType);
            number = table.createIndex(name).number;
            hasPath = pathType != null;
        }

        private void put(DecoratedKey key, Clustering<?> row, Clustering<?> path, LivenessInfo liveness, boolean isRounding)
        {
            IndexPartWriter part = begin(key, isRounding);
            part.put(VALUE, key, row, path, liveness);
            part.end();
            table.write(request, true);
        }

        private IndexPartWriter begin(DecoratedKey key, boolean isRounding)
        {
            request = Buffers.request();
            IndexPartWriter.beginRequest(request, key, 1);
            IndexPartWriter part = new IndexPartWriter(keys, isRounding);
            part.begin(request, number);
            return part;
        }

        private List<IndexEntry> read()
        {
            List<IndexEntry> entries = new ArrayList<>();
            try (IndexReader reader = IndexReader.open(table.index(name), keys, VALUE, List.of(IndexKeys.first(), IndexKeys.last()),
                                                       metadata.comparator.size(), hasPath, NOW_S, () -> {}))
            {
                for (IndexEntry entry = reader.next(); entry != null; entry = reader.next())
                    entries.add(entry);
            }
            return entries;
        }
    }

    @Test
    void rowsAndPathsComeBack()
    {
        for (AbstractType<?> path : new AbstractType<?>[]{ null, UTF8Type.instance, DecimalType.instance })
            for (AbstractType<?>[] columns : COLUMNS)
                for (int length : new int[]{ 1, 16, 300 })
                    checkComesBack(new Written(path, columns), path, columns, length);
    }

    private void checkComesBack(Written written, AbstractType<?> path, AbstractType<?>[] columns, int length)
    {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        DecoratedKey key = Murmur3Partitioner.instance.decorateKey(ByteBuffer.wrap(bytes));
        ByteBuffer[] components = new ByteBuffer[columns.length];
        for (int i = 0; i < columns.length; i++)
            components[i] = value(columns[i]);
        Clustering<?> row = columns.length == 0 ? Clustering.EMPTY : of(components);
        Clustering<?> at = path == null ? null : of(value(path));
        long timestamp = 1 + random.nextInt(1 << 30);
        written.put(key, row, at, LivenessInfo.create(timestamp, NOW_S), false);
        IndexEntry entry = written.read().get(0);
        assertEquals(key, entry.key, "seed " + seed);
        assertEquals(row, entry.row);
        assertEquals(at == null, entry.path == null);
        if (at != null)
            assertEquals(at, entry.path);
        assertEquals(timestamp, entry.timestamp);
    }

    /** Also values whose form does not tell how they were written. */
    private ByteBuffer value(AbstractType<?> type)
    {
        if (type == DecimalType.instance)
            return DecimalType.instance.decompose(new BigDecimal("1.00"));
        return type == Int32Type.instance ? Int32Type.instance.decompose(random.nextInt()) : UTF8Type.instance.decompose("a\0b\0");
    }

    /** At least the time of the write, and the same for all in 67 seconds; with a TTL it is the write's. */
    @Test
    void timesOfBuildsAreRoundedUp()
    {
        Written written = new Written(null);
        long[] timestamps = { Long.MIN_VALUE + 1, -TICK, -1, 0, 1, TICK - 1, TICK, TICK + 1, 1_795_000_000_000_000L, Long.MAX_VALUE };
        for (long timestamp : timestamps)
        {
            DecoratedKey key = Murmur3Partitioner.instance.decorateKey(ByteBuffer.allocate(8).putLong(0, timestamp));
            written.put(key, Clustering.EMPTY, null, LivenessInfo.create(timestamp, NOW_S), true);
        }
        DecoratedKey expiring = Murmur3Partitioner.instance.decorateKey(ByteBuffer.wrap(new byte[1]));
        written.put(expiring, Clustering.EMPTY, null, LivenessInfo.withExpirationTime(TICK + 1, 10, NOW_S + 10), true);
        List<IndexEntry> entries = written.read();
        assertEquals(timestamps.length + 1, entries.size());
        for (IndexEntry entry : entries)
        {
            long at = entry.key.equals(expiring) ? TICK + 1 : entry.key.getKey().getLong(0);
            boolean isExact = entry.key.equals(expiring) || at <= 0 || at == Long.MAX_VALUE;
            assertEquals(isExact ? at : (at + TICK - 1) / TICK * TICK, entry.timestamp);
        }
    }

    /** (danger S11) */
    @Test
    void aRemovalAtTheTimeOfAnEntryLeavesNewerOnes()
    {
        Written written = new Written(null);
        DecoratedKey key = Murmur3Partitioner.instance.decorateKey(ByteBuffer.wrap(new byte[1]));
        written.put(key, Clustering.EMPTY, null, LivenessInfo.create(TICK + 1, NOW_S), true);
        IndexEntry found = written.read().get(0);
        assertEquals(2 * TICK, found.timestamp);
        remove(written, key, TICK + 1);
        assertEquals(1, written.read().size(), "the removal of the exact time is not one of the rounded entry");
        remove(written, key, found.timestamp);
        assertTrue(written.read().isEmpty());
        written.put(key, Clustering.EMPTY, null, LivenessInfo.create(2 * TICK + 1, NOW_S), false);
        assertEquals(2 * TICK + 1, written.read().get(0).timestamp);
    }

    private static void remove(Written written, DecoratedKey key, long timestamp)
    {
        IndexPartWriter part = written.begin(key, false);
        part.delete(VALUE, key, Clustering.EMPTY, null, timestamp, NOW_S);
        part.end();
        written.table.write(written.request, true);
    }
}
