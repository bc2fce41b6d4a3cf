/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.Test;

import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.marshal.BytesType;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.schema.TableMetadata;

import io.cassiterite.engine.Store;

import static org.junit.jupiter.api.Assertions.assertTrue;

/** A row that is larger than the buffer for an answer may grow while it is read. */
class GrowingRowTest
{
    private static final int WRITES = 60;
    private static final int ROW_BYTES = 1100 << 10;
    private static final int GROWTH_BYTES = 1 << 10;
    private static final TableMetadata METADATA = TableMetadata.builder("ks", "t", TableId.generate())
                                                               .partitioner(Murmur3Partitioner.instance)
                                                               .addPartitionKeyColumn("p", Int32Type.instance)
                                                               .addRegularColumn("v", BytesType.instance)
                                                               .build();
    private static final DecoratedKey KEY = Murmur3Partitioner.instance.decorateKey(Int32Type.instance.decompose(1));

    private static void write(CassiteriteMemtable memtable, int time)
    {
        PartitionUpdate.SimpleBuilder update = PartitionUpdate.simpleBuilder(METADATA, 1).timestamp(time);
        update.row().add("v", ByteBuffer.allocate(ROW_BYTES + time * GROWTH_BYTES));
        TestMemtable.put(memtable, update.build());
    }

    private static void grow(CassiteriteMemtable memtable)
    {
        for (int time = 2; time < WRITES; time++)
        {
            write(memtable, time);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(3));
        }
    }

    @Test
    void noReadFails()
    {
        Store store = TestMemtable.openStore("growing");
        try
        {
            CassiteriteMemtable memtable = TestMemtable.open(store, METADATA);
            write(memtable, 1);
            CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> grow(memtable));
            while (!writer.isDone())
                try (UnfilteredRowIterator row = memtable.rowIterator(KEY))
                {
                    assertTrue(row.hasNext());
                }
            writer.join();
        }
        finally
        {
            store.close();
        }
    }
}
