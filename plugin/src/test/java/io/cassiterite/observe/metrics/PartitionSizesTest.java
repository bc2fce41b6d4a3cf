/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe.metrics;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.marshal.UTF8Type;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.EstimatedHistogram;

import io.cassiterite.engine.Store;
import io.cassiterite.memtable.CassiteriteMemtable;
import io.cassiterite.memtable.TestMemtable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class PartitionSizesTest
{
    private static final Range<Token> RING = new Range<>(Murmur3Partitioner.MINIMUM, Murmur3Partitioner.MINIMUM);
    private static final String VALUE = "x".repeat(90);

    private static Store store;
    private static int tables;

    @BeforeAll
    static void open()
    {
        store = TestMemtable.openStore("partition-sizes");
    }

    @AfterAll
    static void close()
    {
        store.close();
    }

    /** @param rows of each partition, as many as there are */
    private static CassiteriteMemtable table(int... rows)
    {
        TableMetadata metadata = TableMetadata.builder("sizes", "t" + tables++)
                                              .addPartitionKeyColumn("k", Int32Type.instance)
                                              .addClusteringColumn("c", Int32Type.instance)
                                              .addRegularColumn("v", UTF8Type.instance)
                                              .addRegularColumn("w", UTF8Type.instance).build();
        CassiteriteMemtable memtable = TestMemtable.open(store, metadata);
        for (int k = 0; k < rows.length; k++)
        {
            PartitionUpdate.SimpleBuilder update = PartitionUpdate.simpleBuilder(metadata, k);
            for (int c = 0; c < rows[k]; c++)
                update.row(c).add("v", VALUE).add("w", VALUE);
            TestMemtable.put(memtable, update.build());
        }
        memtable.table().flush();
        return memtable;
    }

    private static void assertNear(double expected, double found)
    {
        assertTrue(found >= expected * 0.6 && found <= expected * 1.6, found + " for " + expected);
    }

    @Test
    void anEmptyTableHasNone()
    {
        PartitionSizes.Histograms none = PartitionSizes.read(table());
        assertEquals(0, none.bytes.length);
        assertEquals(0, none.cells.length);
    }

    @Test
    void allPartitionsAreCountedByTheirSizes()
    {
        int[] rows = new int[800];
        for (int k = 0; k < rows.length; k++)
            rows[k] = k % 2 == 0 ? 2 : 20;
        PartitionSizes.Histograms found = PartitionSizes.read(table(rows));
        EstimatedHistogram cells = new EstimatedHistogram(found.cells);
        EstimatedHistogram bytes = new EstimatedHistogram(found.bytes);
        assertNear(rows.length, cells.count());
        assertNear(rows.length, bytes.count());
        assertNear(22, cells.mean());
        assertNear(40, cells.percentile(0.95));
        assertNear(4, cells.percentile(0.05));
        assertNear(20 * 200, bytes.percentile(0.95));
    }

    @Test
    void aLargePartitionIsEstimatedAsAWhole()
    {
        PartitionSizes.Histograms found = PartitionSizes.read(table(8_000));
        assertEquals(1, new EstimatedHistogram(found.cells).count());
        assertNear(16_000, new EstimatedHistogram(found.cells).max());
        assertNear(8_000 * 200, new EstimatedHistogram(found.bytes).max());
    }

    @Test
    void theLargestIsFoundAmongManyAndTheSmallestIsOfTheSample()
    {
        int[] rows = new int[3_000];
        Arrays.fill(rows, 2);
        PartitionSizes.Histograms alike = PartitionSizes.read(table(rows));
        assertNear(2 * 200, alike.largestBytes);
        assertNear(2 * 200, alike.smallestBytes);
        rows[1_234] = 20_000;
        PartitionSizes.Histograms one = PartitionSizes.read(table(rows));
        assertNear(20_000 * 200, one.largestBytes);
        assertNear(2 * 200, one.smallestBytes);
        assertEquals(0, PartitionSizes.read(table()).largestBytes);
    }

    @Test
    void noPartitionIsVisitedTwice()
    {
        CassiteriteMemtable memtable = table(new int[]{ 1, 1, 1, 1, 1, 1, 1 });
        List<String> keys = new ArrayList<>();
        KeySample.visit(memtable, List.of(RING), 1_000, partition -> keys.add(partition.partitionKey().toString()));
        assertEquals(7, keys.size());
        assertEquals(7, new HashSet<>(keys).size());
    }
}
