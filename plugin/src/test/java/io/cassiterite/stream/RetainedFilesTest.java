/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import org.apache.cassandra.schema.TableId;

import io.cassiterite.OwnJvm;
import io.cassiterite.engine.EngineTestAccess;
import io.cassiterite.engine.ShipmentFile;
import io.cassiterite.engine.Store;
import io.cassiterite.memtable.TestNode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Verified whole files that a killed process had received are retained, as long as a session relies on them. */
@OwnJvm
class RetainedFilesTest
{
    private static final byte[] BYTES = new byte[1000];

    @Test
    void verifiedWholeFilesOutliveTheProcess() throws IOException
    {
        Path directory = TestNode.initialize().resolve("retained-" + System.nanoTime()).toAbsolutePath();
        TableId table = TableId.generate();
        Path shipment = directory.resolve("incoming")
                                 .resolve("stream-" + UUID.randomUUID() + '-' + table + "-127.0.0.2_7000-" + UUID.randomUUID());
        Files.createDirectories(shipment);
        for (String name : List.of("S-000001.sst", "S-000002.sst.partial", "rows-000001.sst", "cassiterite.manifest"))
            Files.write(shipment.resolve(name), BYTES);
        TableId other = TableId.generate();
        Files.write(Files.createDirectories(directory.resolve("retained")).resolve(other + "-123456789abcdef"), BYTES);
        Files.write(Files.createDirectories(directory.resolve("held")).resolve("edcba9876543210"), BYTES); // as early builds did
        try (Store store = Store.open(Map.of(Store.DIRECTORY, directory.toString(), "node.commitlog_sync", "periodic")))
        {
            RetainedFiles.recover(store);
            assertEquals(3 * BYTES.length, RetainedFiles.bytes());
            assertOnlyUnwantedOnesGo(store, table, other);
            assertFalse(Files.exists(shipment.getParent()));

            ShipmentFile file = EngineTestAccess.shipmentFile("S-000001.sst\twhole\t" + BYTES.length + "\t6\t1\t\t");
            StreamHeader header = new StreamHeader(file, true, UUID.randomUUID(), 1, 0, List.of());
            assertEquals(0, new OutgoingFile(table, header, file, null, null, null).getEstimatedSize(), "retained files need no space");

            Path nowhere = directory.resolve("gone").resolve("S-000001.sst");
            assertThrows(IOException.class, () -> RetainedFiles.take(table, header, nowhere));
            assertEquals(BYTES.length, RetainedFiles.bytes(), "it is still there for the next try");

            Path taken = directory.resolve("S-000001.sst");
            RetainedFiles.take(table, header, taken);
            assertTrue(Files.exists(taken));
            assertEquals(0, RetainedFiles.bytes());
            assertThrows(IOException.class, () -> RetainedFiles.take(table, header, taken));
        }
    }

    private static void assertOnlyUnwantedOnesGo(Store store, TableId table, TableId other)
    {
        MergeInTask.instance.receiving(table);
        MergeInTask.instance.receiving(other);
        RetainedFiles.deleteUnused();
        assertEquals(2 * BYTES.length, RetainedFiles.bytes(), "an earlier version did not record the table");
        RetainedFiles.expire(store, System.nanoTime() + TimeUnit.HOURS.toNanos(3));
        assertEquals(2 * BYTES.length, RetainedFiles.bytes());
        MergeInTask.instance.received(other);
        RetainedFiles.expire(store, System.nanoTime() + TimeUnit.HOURS.toNanos(1));
        assertEquals(2 * BYTES.length, RetainedFiles.bytes());
        RetainedFiles.expire(store, System.nanoTime() + TimeUnit.HOURS.toNanos(3));
        assertEquals(BYTES.length, RetainedFiles.bytes());
        RetainedFiles.deleteUnused();
        assertEquals(BYTES.length, RetainedFiles.bytes());
        MergeInTask.instance.received(table);
    }
}
