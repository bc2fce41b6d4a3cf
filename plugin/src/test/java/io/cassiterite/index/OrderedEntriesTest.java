/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.index;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.LivenessInfo;
import org.apache.cassandra.db.marshal.ByteBufferAccessor;
import org.apache.cassandra.db.marshal.BytesType;
import org.apache.cassandra.db.marshal.DecimalType;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.schema.TableMetadata;

import io.cassiterite.engine.Buffers;
import io.cassiterite.engine.DirectOutput;
import io.cassiterite.engine.Store;
import io.cassiterite.engine.Table;
import io.cassiterite.memtable.CassiteriteMemtable;
import io.cassiterite.memtable.IndexEntry;
import io.cassiterite.memtable.IndexKeys;
import io.cassiterite.memtable.IndexPartWriter;
import io.cassiterite.memtable.IndexReader;
import io.cassiterite.memtable.TestMemtable;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Entries come in the order of rows, also where many partitions have half a token in common. */
class OrderedEntriesTest
{
    private static final Clustering<?> VALUE = of(Int32Type.instance.decompose(5));
    private static final long TIMESTAMP = 1_700_000_000_000_000L;

    private static Store store;
    private static Table table;
    private static TableMetadata metadata;

    private final long seed = System.nanoTime();
    private final Random random = new Random(seed);

    @BeforeAll
    static void open()
    {
        TestMemtable.initialize();
        store = TestMemtable.openStore("ordered-entries");
        // a decimal does not come back from its form
        metadata = TableMetadata.builder("ks", "ordered").addPartitionKeyColumn("p", BytesType.instance)
                                .addClusteringColumn("c", Int32Type.instance).addClusteringColumn("d", DecimalType.instance)
                                .addRegularColumn("v", Int32Type.instance).build();
        CassiteriteMemtable memtable = TestMemtable.open(store, metadata);
        table = memtable.table();
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

    private int compare(IndexEntry left, IndexEntry right)
    {
        int order = left.key.compareTo(right.key);
        return order != 0 ? order : metadata.comparator.compare(left.row, right.row);
    }

    private static String text(DecoratedKey key, Clustering<?> row)
    {
        return key.getToken() + " " + row.toString(metadata);
    }

    /** Of few halves, the smallest and the largest among them. */
    private DecoratedKey key()
    {
        long[] halves = { Long.MIN_VALUE + (1L << 32), -5L << 32, 0, 0x7FFF_FFFFL << 32 };
        long token = halves[random.nextInt(halves.length)] + random.nextInt(5);
        return Murmur3Partitioner.instance.decorateKey(Murmur3Partitioner.LongToken.keyForToken(token));
    }

    private Clustering<?> row()
    {
        return of(Int32Type.instance.decompose(random.nextInt(40)),
                  DecimalType.instance.decompose(BigDecimal.valueOf(1, random.nextInt(2))));
    }

    @Test
    void runsAreSortedWhateverTheirLength()
    {
        for (int round = 0; round < 60; round++)
            check(round, 1 + random.nextInt(400), 1 + random.nextInt(round % 2 == 0 ? 12 : 300));
    }

    private void check(int round, int entries, int runMax)
    {
        String name = "index" + round;
        int number = table.createIndex(name).number;
        IndexKeys keys = new IndexKeys(List.of(Int32Type.instance), metadata.comparator, null);
        TreeSet<IndexedRow> written = new TreeSet<>();
        for (int i = 0; i < entries; i++)
            written.add(new IndexedRow(key(), row()));
        write(number, keys, written);
        Table index = table.index(name);
        if (round % 3 == 0)
            index.flush();
        List<byte[]> slices = slices(keys, written);
        assertEquals(in(keys, slices, written), read(index, keys, slices, runMax), "run " + runMax + ", seed " + seed);
        table.dropIndex(name);
    }

    /** Everything, or from a row on, or some rows: with all partitions of the first half token. */
    private List<byte[]> slices(IndexKeys keys, TreeSet<IndexedRow> rows)
    {
        List<IndexedRow> all = new ArrayList<>(rows);
        IndexedRow one = all.get(random.nextInt(all.size()));
        switch (random.nextInt(3))
        {
            case 0:
                return List.of(IndexKeys.first(), IndexKeys.last());
            case 1:
                return EntrySlices.from(keys, one.key, keys.before(one.key, one.row));
            default:
                List<byte[]> positions = new ArrayList<>();
                for (IndexedRow row : all)
                    if (random.nextInt(3) == 0)
                        positions.add(keys.before(row.key, row.row));
                return EntrySlices.of(positions);
        }
    }

    /** By what the slices say, row by row. */
    private static List<String> in(IndexKeys keys, List<byte[]> slices, TreeSet<IndexedRow> rows)
    {
        return rows.stream().filter(row -> {
            byte[] before = keys.before(row.key, row.row);
            return !EntrySlices.intersect(slices, List.of(before, IndexKeys.after(before))).isEmpty();
        }).map(row -> text(row.key, row.row)).collect(Collectors.toList());
    }

    private static void write(int number, IndexKeys keys, TreeSet<IndexedRow> rows)
    {
        DirectOutput request = Buffers.request();
        IndexPartWriter.beginRequest(request, rows.first().key, 1);
        IndexPartWriter part = new IndexPartWriter(keys, true);
        part.begin(request, number);
        for (IndexedRow row : rows)
            part.put(VALUE, row.key, row.row, null, LivenessInfo.create(TIMESTAMP, 0));
        part.end();
        table.write(request, true);
    }

    private List<String> read(Table index, IndexKeys keys, List<byte[]> slices, int runMax)
    {
        List<String> read = new ArrayList<>();
        Function<List<byte[]>, IndexReader> opener = left -> IndexReader.open(index, keys, VALUE, left, 2, false, 0, () -> {});
        try (OrderedEntries entries = new OrderedEntries(keys, slices, opener, this::compare, runMax))
        {
            for (IndexEntry entry = entries.next(); entry != null; entry = entries.next())
            {
                assertEquals(0, entry.timestamp % (1L << 26));
                read.add(text(entry.key, entry.row));
            }
        }
        return read;
    }

    private static final class IndexedRow implements Comparable<IndexedRow>
    {
        private final DecoratedKey key;
        private final Clustering<?> row;

        private IndexedRow(DecoratedKey key, Clustering<?> row)
        {
            this.key = key;
            this.row = row;
        }

        @Override
        public int compareTo(IndexedRow other)
        {
            int order = key.compareTo(other.key);
            return order != 0 ? order : metadata.comparator.compare(row, other.row);
        }
    }
}
