/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.repair;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.marshal.BytesType;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.dht.Murmur3Partitioner.LongToken;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.schema.TableMetadata;

import io.cassiterite.engine.RangeSizes;
import io.cassiterite.engine.Store;
import io.cassiterite.memtable.CassiteriteMemtable;
import io.cassiterite.memtable.TestMemtable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Views stay as of the time when they were opened, cover exactly their ranges, and are read in token order. */
class TableViewTest
{
    private static final int PARTITIONS = 2000;
    private static final List<Range<Token>> RING = List.of(range(1L << 62, -(1L << 61)), range(-(1L << 61), 0), range(0, 1L << 62));

    private static Store store;

    private TableMetadata metadata;
    private CassiteriteMemtable memtable;

    @BeforeAll
    static void openStore()
    {
        store = TestMemtable.openStore("views");
    }

    @AfterAll
    static void closeStore()
    {
        if (store != null)
            store.close();
    }

    @BeforeEach
    void fill()
    {
        metadata = TableMetadata.builder("ks", "t", TableId.generate()).partitioner(Murmur3Partitioner.instance)
                                .addPartitionKeyColumn("k", Int32Type.instance)
                                .addRegularColumn("filler", BytesType.instance)
                                .addRegularColumn("v", Int32Type.instance).build();
        memtable = TestMemtable.open(store, metadata);
        write(0, PARTITIONS, 1);
    }

    /** So long that a range does not fit into one answer. */
    private void writeLong(int k, int value)
    {
        PartitionUpdate.SimpleBuilder update = PartitionUpdate.simpleBuilder(metadata, k).timestamp(value);
        update.row().add("v", value).add("filler", ByteBuffer.allocate(16 << 10));
        TestMemtable.put(memtable, update.build());
    }

    private void write(int from, int to, int value)
    {
        for (int k = from; k < to; k++)
        {
            PartitionUpdate.SimpleBuilder update = PartitionUpdate.simpleBuilder(metadata, k).timestamp(value);
            update.row().add("v", value);
            TestMemtable.put(memtable, update.build());
        }
    }

    @Test
    void aViewStaysAsItWasOpened()
    {
        try (TableView view = TableView.open(memtable, RING))
        {
            write(PARTITIONS / 2, PARTITIONS * 2, 2);
            memtable.table().flush();
            memtable.table().compact();
            TreeMap<Integer, Integer> seen = read(scanner(view.takeAll()));
            assertEquals(PARTITIONS, seen.size());
            assertTrue(seen.values().stream().allMatch(value -> value == 1));
        }
    }

    @Test
    void eachCursorIsTakenOnce()
    {
        try (TableView view = TableView.open(memtable, RING))
        {
            for (Range<Token> range : RING)
                for (Range<Token> part : range.unwrap())
                    try (RangeCursor cursor = view.take(part))
                    {
                        assertEquals(part, cursor.range());
                        assertNull(view.take(part));
                        while (cursor.hasNext())
                            try (UnfilteredRowIterator partition = cursor.next())
                            {
                                assertTrue(part.contains(partition.partitionKey().getToken()));
                            }
                    }
            assertEquals(List.of(), view.takeAll());
        }
    }

    /** With 256 vnodes a validation reads some hundreds of ranges. */
    @Test
    void oneCursorOfTheEngineIsOpenWhateverTheNumberOfRanges()
    {
        List<Range<Token>> ranges = new ArrayList<>();
        for (long left = Long.MIN_VALUE, i = 0; i < 256; i++, left += 1L << 56)
            ranges.add(range(left, i == 255 ? Long.MIN_VALUE : left + (1L << 56)));
        for (int k = 0; k < PARTITIONS; k++)
            writeLong(k, 3);
        long before = openCursors();
        try (TableView view = TableView.open(memtable, ranges))
        {
            List<RangeCursor> cursors = view.takeAll();
            assertEquals(256, cursors.size());
            assertEquals(before + 1, openCursors());
            EngineScanner scanner = scanner(cursors);
            Set<DecoratedKey> seen = new HashSet<>();
            long most = 0;
            while (scanner.hasNext())
                try (UnfilteredRowIterator partition = scanner.next())
                {
                    assertTrue(seen.add(partition.partitionKey()));
                    most = Math.max(most, openCursors());
                    if (seen.size() % 500 == 0)
                        write(PARTITIONS / 2, PARTITIONS * 2, 4);
                }
            assertEquals(PARTITIONS, seen.size());
            assertEquals(before + 2, most);
            assertEquals(before, openCursors(), "no range is left");
            scanner.close();
        }
        assertEquals(before, openCursors());
    }

    @Test
    void aViewThatIsClosedStaysForTheCursorsThatWereTaken()
    {
        long before = openCursors();
        TableView view = TableView.open(memtable, RING);
        List<RangeCursor> cursors = new ArrayList<>();
        for (Range<Token> part : RING.get(0).unwrap())
            cursors.add(view.take(part));
        view.close();
        assertNull(view.take(RING.get(1)));
        write(0, PARTITIONS, 2);
        assertEquals(before + 1, openCursors());
        assertTrue(read(scanner(cursors)).values().stream().allMatch(value -> value == 1));
        assertEquals(before, openCursors());
        view.close();
        cursors.forEach(RangeCursor::close);
        assertEquals(before, openCursors());
    }

    /** Of the process. */
    private static long openCursors()
    {
        String line = store.report("work").lines().filter(one -> one.startsWith("cursor\t")).findFirst().orElseThrow();
        return Long.parseLong(line.split("\t")[1]);
    }

    @Test
    void progressFollowsTheTokensToTheEnd()
    {
        memtable.table().flush();
        try (TableView view = TableView.open(memtable, RING))
        {
            EngineScanner scanner = scanner(view.takeAll());
            assertTrue(scanner.getLengthInBytes() > 0);
            long before = 0;
            Token last = null;
            while (scanner.hasNext())
                try (UnfilteredRowIterator partition = scanner.next())
                {
                    Token token = partition.partitionKey().getToken();
                    assertTrue(last == null || last.compareTo(token) < 0);
                    assertTrue(scanner.getBytesScanned() >= before && scanner.getBytesScanned() <= scanner.getLengthInBytes());
                    before = scanner.getBytesScanned();
                    last = token;
                }
            assertEquals(scanner.getLengthInBytes(), scanner.getBytesScanned());
            scanner.close();
            assertFalse(scanner.hasNext());
        }
    }

    private EngineScanner scanner(List<RangeCursor> cursors)
    {
        List<RangeCursor> ordered = new ArrayList<>(cursors);
        ordered.sort(RangeCursor.BY_TOKEN);
        List<Range<Token>> parts = new ArrayList<>();
        ordered.forEach(cursor -> parts.add(cursor.range()));
        RangeSizes sizes = RangeSizes.of(memtable.table(), parts);
        return new EngineScanner(metadata, ordered, parts.stream().mapToLong(sizes::bytes).toArray());
    }

    private static TreeMap<Integer, Integer> read(EngineScanner scanner)
    {
        TreeMap<Integer, Integer> seen = new TreeMap<>();
        while (scanner.hasNext())
            try (UnfilteredRowIterator partition = scanner.next())
            {
                Row row = (Row) partition.next();
                seen.put(Int32Type.instance.compose(partition.partitionKey().getKey()),
                         Int32Type.instance.compose(row.cells().iterator().next().buffer()));
            }
        scanner.close();
        return seen;
    }

    private static Range<Token> range(long left, long right)
    {
        return new Range<>(new LongToken(left), new LongToken(right));
    }
}
