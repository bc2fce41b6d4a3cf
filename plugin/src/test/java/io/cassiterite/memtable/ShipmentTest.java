/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.dht.Murmur3Partitioner.LongToken;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.schema.TableMetadata;

import io.cassiterite.engine.EngineException;
import io.cassiterite.engine.RangeSize;
import io.cassiterite.engine.ShipmentFile;
import io.cassiterite.engine.Store;
import io.cassiterite.engine.Table;
import io.cassiterite.engine.TableSchema;
import io.cassiterite.engine.TokenRanges;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Shipments, sizes and cleanup across the boundary. */
class ShipmentTest
{
    private static final int PARTITIONS = 1000;
    private static final TokenRanges LOWER = TokenRanges.of(List.of(new Range<>(new LongToken(Long.MIN_VALUE), new LongToken(0))));

    private static Path directory;
    private static Store store;

    @BeforeAll
    static void open()
    {
        directory = TestNode.initialize().resolve("shipments-" + System.nanoTime()).toAbsolutePath();
        store = Store.open(Map.of(Store.DIRECTORY, directory.toString(), "node.commitlog_sync", "periodic"));
    }

    @AfterAll
    static void close()
    {
        if (store != null)
            store.close();
    }

    private static TableMetadata metadata(String name)
    {
        return TableMetadata.builder("ks", name, TableId.generate())
                            .partitioner(Murmur3Partitioner.instance)
                            .addPartitionKeyColumn("p", Int32Type.instance)
                            .addClusteringColumn("c", Int32Type.instance)
                            .addRegularColumn("v", Int32Type.instance)
                            .build();
    }

    private static Table filled(TableMetadata metadata)
    {
        CassiteriteMemtable memtable = TestMemtable.open(store, metadata);
        for (int p = 0; p < PARTITIONS; p++)
        {
            PartitionUpdate.SimpleBuilder update = PartitionUpdate.simpleBuilder(metadata, p).timestamp(1);
            update.row(1).add("v", p);
            TestMemtable.put(memtable, update.build());
        }
        return memtable.table();
    }

    private static long partitions(Table table, TokenRanges ranges)
    {
        return table.sizes(ranges).stream().mapToLong(RangeSize::partitions).sum();
    }

    @Test
    void aShipmentHoldsItsRangesAlone() throws Exception
    {
        store.ring(List.of()); // files are to straddle
        Table source = filled(metadata("source"));
        source.compact();
        long lower = partitions(source, LOWER);
        Path shipment = directory.resolve("export").resolve("one");
        List<ShipmentFile> files = source.export(LOWER, shipment.toString());
        for (ShipmentFile file : files)
            assertEquals(Files.size(shipment.resolve(file.name())), file.bytes(), file.name());
        ShipmentFile rows = files.stream().filter(file -> file.kind() == ShipmentFile.Kind.ROWS).findFirst().orElseThrow();
        assertTrue(rows.reason().startsWith("straddles: "), rows.reason());
        Table target = store.openTable(TableSchema.request(metadata("target")), "ks.target");
        long loaded = target.load(shipment.toString());
        assertEquals(rows.keys(), loaded);
        assertTrue(Math.abs(loaded - lower) < loaded / 4, lower + " estimated, " + loaded + " there");
        assertEquals(loaded, partitions(target, TokenRanges.ALL), (double) loaded / 4);

        Path all = directory.resolve("export").resolve("all");
        List<ShipmentFile> whole = source.export(TokenRanges.ALL, all.toString());
        assertEquals(List.of(ShipmentFile.Kind.WHOLE, ShipmentFile.Kind.MANIFEST),
                     List.of(whole.get(0).kind(), whole.get(whole.size() - 1).kind()));
        EngineException again = assertThrows(EngineException.class, () -> source.export(TokenRanges.ALL, all.toString()));
        assertEquals(EngineException.Kind.INVALID, again.kind());
    }

    @Test
    void cleanupLeavesWhatIsOwned()
    {
        Table table = filled(metadata("owned"));
        assertTrue(Math.abs(partitions(table, TokenRanges.ALL) - PARTITIONS) < PARTITIONS / 4);
        store.ring(List.of(new LongToken(0), new LongToken(-77)));
        long before = partitions(table, LOWER);
        table.cleanup(LOWER);
        assertEquals(before, partitions(table, LOWER), (double) before / 4);
        assertEquals(partitions(table, LOWER), partitions(table, TokenRanges.ALL), (double) before / 4);
        table.cleanup(TokenRanges.of(List.of()));
        assertEquals(0, table.sizes(TokenRanges.ALL).get(0).bytes());
    }
}
