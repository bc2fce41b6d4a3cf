/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;

import org.junit.jupiter.api.Test;

import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.schema.TableMetadata;

import io.cassiterite.OwnJvm;
import io.cassiterite.engine.EngineTestAccess;
import io.cassiterite.engine.ShipmentFile;
import io.cassiterite.engine.Store;
import io.cassiterite.memtable.TestMemtable;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

/** A shipment that cannot begin leaves nothing behind. */
@OwnJvm
class IncomingShipmentTest
{
    @Test
    void whatCannotBeginReservesNoSpace() throws IOException
    {
        try (Store store = TestMemtable.openStore("unbegun"))
        {
            TableMetadata metadata = TableMetadata.builder("ks", "t", TableId.generate())
                                                  .partitioner(Murmur3Partitioner.instance)
                                                  .addPartitionKeyColumn("p", Int32Type.instance)
                                                  .build();
            UUID shipment = UUID.randomUUID();
            long most = StagingSpace.freeBytes(store) * 6 / 10;
            ShipmentFile file = EngineTestAccess.shipmentFile("cassiterite.manifest\tmanifest\t9\t0\t0\t\t");
            StreamHeader header = new StreamHeader(file, false, shipment, 1, most, List.of());
            Path incoming = Files.writeString(Path.of(store.directory(), "incoming"), "no folder can be made below a file");
            assertThrows(IOException.class, () -> new IncomingShipment(new TestSession(), metadata, store, header));
            assertFalse(StreamHistory.report().contains(shipment.toString()), StreamHistory.report());
            assertDoesNotThrow(() -> StagingSpace.reserve(store, most)).release();

            Files.delete(incoming);
            new IncomingShipment(new TestSession(), metadata, store, header).discard(true);
        }
    }
}
