/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.apache.cassandra.db.BufferClusteringBound;
import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.ClusteringBound;
import org.apache.cassandra.db.ClusteringPrefix.Kind;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.DeletionTime;
import org.apache.cassandra.db.RangeTombstone;
import org.apache.cassandra.db.Slice;
import org.apache.cassandra.db.Slices;
import org.apache.cassandra.db.filter.ColumnFilter;
import org.apache.cassandra.db.marshal.AbstractType;
import org.apache.cassandra.db.marshal.ByteType;
import org.apache.cassandra.db.marshal.DateType;
import org.apache.cassandra.db.marshal.DoubleType;
import org.apache.cassandra.db.marshal.FloatType;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.marshal.LegacyTimeUUIDType;
import org.apache.cassandra.db.marshal.LexicalUUIDType;
import org.apache.cassandra.db.marshal.ReversedType;
import org.apache.cassandra.db.marshal.ShortType;
import org.apache.cassandra.db.marshal.TimeUUIDType;
import org.apache.cassandra.db.marshal.TupleType;
import org.apache.cassandra.db.marshal.UUIDType;
import org.apache.cassandra.db.marshal.VectorType;
import org.apache.cassandra.db.memtable.Memtable;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.db.rows.Unfiltered;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.exceptions.InvalidRequestException;
import org.apache.cassandra.io.sstable.SSTableReadsListener;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.ByteBufferUtil;

import io.cassiterite.engine.Store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Bounds as {@code (a, b) < ?} gives them, whose parts Cassandra does not check. Where its comparator reads the first bytes
 * only, deletions and reads are as in the skip list. Where it fails, or would with assertions, the engine refuses both.
 */
class TupleBoundTest
{
    private static final String UUID = "11111111111141118111111111111111";
    private static final String TIME_UUID = "11111111111111118111111111111111";
    private static final Kind[] STARTS = { Kind.INCL_START_BOUND, Kind.EXCL_START_BOUND };
    private static final Kind[] ENDS = { Kind.INCL_END_BOUND, Kind.EXCL_END_BOUND };

    private static Store store;

    @BeforeAll
    static void open()
    {
        store = TestMemtable.openStore("tuple-bounds");
    }

    @AfterAll
    static void close()
    {
        if (store != null)
            store.close();
    }

    @Test
    @SuppressWarnings("deprecation") // DateType
    void ofTooManyBytesIsThatOfTheFirstOnesWhereTheComparatorReadsNoOthers()
    {
        String nan = "7fc00001";
        same(ByteType.instance, List.of("80", "05", "06", "7f"), "0500", "05ff", "8000000000");
        same(FloatType.instance, List.of("bf800000", "3ff00000", "3ff80000", "7fc00000"), "3ff0000000000000", "3ff00000ff", nan + "00");
        same(DoubleType.instance, List.of("bff0000000000000", "3ff0000000000000", "4000000000000000"), "3ff000000000000000",
             "3ff0000000000000ffff");
        same(LexicalUUIDType.instance, List.of("00".repeat(16), UUID, "22".repeat(16)), UUID + "00", UUID + "ffff");
        same(DateType.instance, List.of("0000000000000001", "0000000000000002"), "000000000000000100", "00000000000000",
             "000000000000000200ff");
    }

    @Test
    void ofBytesThatAreNoValueIsRefused()
    {
        for (int bytes : new int[]{ 1, 8, 15, 17, 32 })
        {
            refused(UUIDType.instance, UUID, "40".repeat(bytes));
            refused(TimeUUIDType.instance, TIME_UUID, "10".repeat(bytes));
            refused(LegacyTimeUUIDType.instance, TIME_UUID, "10".repeat(bytes));
        }
        refused(TimeUUIDType.instance, TIME_UUID, UUID);
        refused(FloatType.instance, "3ff00000", "3ff000");
        refused(DoubleType.instance, "3ff0000000000000", "3ff00000");
        refused(LexicalUUIDType.instance, UUID, UUID.substring(2));
        refused(new TupleType(List.of(UUIDType.instance)), "00000010" + UUID, "00000003010203");
        refused(VectorType.getInstance(FloatType.instance, 1), "3ff00000", "3ff0000000");
    }

    /** {@code UPDATE ... WHERE (a, b) = ?}, which Cassandra does not check, either. */
    @Test
    void aRowOfBytesThatAreNoValueIsRefused()
    {
        TableMetadata metadata = table(UUIDType.instance);
        Memtable memtable = TestMemtable.open(store, metadata);
        assertThrows(InvalidRequestException.class, () -> fill(memtable, metadata, List.of("010203")));
        assertEquals(List.of(), rows(memtable, metadata, Slice.ALL));
    }

    /** The comparators fail on it; its form is the position before all values. */
    @Test
    void ofNoBytesIsRefusedAsADeletionWhereTheTypeHasNoEmptyValue()
    {
        refusedDeletion(ByteType.instance, "05", "");
        refusedDeletion(ShortType.instance, "0005", "");
        same(UUIDType.instance, List.of(UUID), "");
    }

    private static void same(AbstractType<?> type, List<String> values, String... bounds)
    {
        for (AbstractType<?> ordered : List.of(type, ReversedType.getInstance(type)))
            for (String bound : bounds)
                for (int i = 0; i < 2; i++)
                {
                    Kind start = STARTS[i];
                    Kind end = ENDS[i];
                    same(ordered, values, Slice.make(ClusteringBound.BOTTOM, bound(end, bound)));
                    same(ordered, values, Slice.make(bound(start, bound), ClusteringBound.TOP));
                }
    }

    private static void same(AbstractType<?> type, List<String> values, Slice slice)
    {
        TableMetadata metadata = table(type);
        Memtable ours = TestMemtable.open(store, metadata);
        Memtable theirs = TestMemtable.stock(metadata);
        for (Memtable memtable : List.of(ours, theirs))
            fill(memtable, metadata, values);
        assertEquals(rows(theirs, metadata, slice), rows(ours, metadata, slice), () -> "read of " + described(slice, type));
        for (Memtable memtable : List.of(ours, theirs))
            TestMemtable.put(memtable, deletion(metadata, slice));
        assertEquals(rows(theirs, metadata, Slice.ALL), rows(ours, metadata, Slice.ALL),
                     () -> "deletion of " + described(slice, type));
    }

    private static String described(Slice slice, AbstractType<?> type)
    {
        ClusteringBound<?> bound = slice.start().isBottom() ? slice.end() : slice.start();
        return type + " " + bound.kind() + " 0x" + ByteBufferUtil.bytesToHex(bound.bufferAt(1));
    }

    private static void refused(AbstractType<?> type, String value, String bound)
    {
        refusedDeletion(type, value, bound);
        for (AbstractType<?> ordered : List.of(type, ReversedType.getInstance(type)))
        {
            TableMetadata metadata = table(ordered);
            Memtable memtable = TestMemtable.open(store, metadata);
            for (Slice slice : slices(bound))
            {
                String message = assertThrows(InvalidRequestException.class, () -> rows(memtable, metadata, slice)).getMessage();
                assertTrue(message.contains("no value") && message.contains(bound), message);
            }
        }
    }

    private static void refusedDeletion(AbstractType<?> type, String value, String bound)
    {
        for (AbstractType<?> ordered : List.of(type, ReversedType.getInstance(type)))
        {
            TableMetadata metadata = table(ordered);
            Memtable memtable = TestMemtable.open(store, metadata);
            fill(memtable, metadata, List.of(value));
            for (Slice slice : slices(bound))
                refused(metadata, bound, () -> TestMemtable.put(memtable, deletion(metadata, slice)));
            assertEquals(2, rows(memtable, metadata, Slice.ALL).size());
        }
    }

    private static void refused(TableMetadata metadata, String bound, Runnable action)
    {
        String what = metadata.comparator.subtype(1) + " " + bound;
        String message = assertThrows(InvalidRequestException.class, action::run, what).getMessage();
        assertTrue(message.contains("column b") && message.contains("0x" + bound), message);
    }

    private static List<Slice> slices(String bound)
    {
        return List.of(Slice.make(ClusteringBound.BOTTOM, bound(Kind.EXCL_END_BOUND, bound)),
                       Slice.make(bound(Kind.INCL_START_BOUND, bound), ClusteringBound.TOP));
    }

    private static ClusteringBound<?> bound(Kind kind, String hex)
    {
        return BufferClusteringBound.create(kind, new ByteBuffer[]{ Int32Type.instance.decompose(1), ByteBufferUtil.hexToBytes(hex) });
    }

    private static TableMetadata table(AbstractType<?> type)
    {
        return TableMetadata.builder("ks", "bounds", TableId.generate())
                            .partitioner(Murmur3Partitioner.instance)
                            .addPartitionKeyColumn("p", Int32Type.instance)
                            .addClusteringColumn("a", Int32Type.instance)
                            .addClusteringColumn("b", type)
                            .addRegularColumn("v", Int32Type.instance)
                            .build();
    }

    private static DecoratedKey key(TableMetadata metadata)
    {
        return metadata.partitioner.decorateKey(Int32Type.instance.decompose(1));
    }

    /** Rows with a = 1, and one with a = 2. */
    private static void fill(Memtable memtable, TableMetadata metadata, List<String> values)
    {
        PartitionUpdate.SimpleBuilder update = PartitionUpdate.simpleBuilder(metadata, 1).timestamp(1);
        for (String value : values)
            update.row(clustering(1, value)).add("v", 1);
        update.row(clustering(2, values.get(0))).add("v", 1);
        TestMemtable.put(memtable, update.build());
    }

    private static Clustering<?> clustering(int a, String hex)
    {
        return Clustering.make(Int32Type.instance.decompose(a), ByteBufferUtil.hexToBytes(hex));
    }

    private static PartitionUpdate deletion(TableMetadata metadata, Slice slice)
    {
        PartitionUpdate.Builder update = new PartitionUpdate.Builder(metadata, key(metadata), metadata.regularAndStaticColumns(), 1);
        update.add(new RangeTombstone(slice, DeletionTime.build(2, 2)));
        return update.build();
    }

    private static List<String> rows(Memtable memtable, TableMetadata metadata, Slice slice)
    {
        List<String> rows = new ArrayList<>();
        try (UnfilteredRowIterator partition = memtable.rowIterator(key(metadata), Slices.with(metadata.comparator, slice),
                                                                    ColumnFilter.all(metadata), false,
                                                                    SSTableReadsListener.NOOP_LISTENER))
        {
            while (partition != null && partition.hasNext())
            {
                Unfiltered next = partition.next();
                if (next.isRow() && ((Row) next).hasLiveData(Integer.MAX_VALUE, false))
                    rows.add(next.clustering().toString(metadata));
            }
        }
        return rows;
    }
}
