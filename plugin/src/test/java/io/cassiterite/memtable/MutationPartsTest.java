/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.util.Map;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.apache.cassandra.db.CassandraWriteContext;
import org.apache.cassandra.db.Keyspace;
import org.apache.cassandra.db.KeyspaceWriteHandler;
import org.apache.cassandra.db.Mutation;
import org.apache.cassandra.db.WriteContext;
import org.apache.cassandra.db.commitlog.CommitLogPosition;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.marshal.UTF8Type;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.schema.KeyspaceMetadata;
import org.apache.cassandra.schema.KeyspaceParams;
import org.apache.cassandra.schema.MemtableParams;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.schema.Tables;

import io.cassiterite.OwnJvm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A write of the engine that is in the commit log marks the log only if stock tables have a part in it (danger M16). */
@OwnJvm
class MutationPartsTest
{
    private static TableMetadata engine;
    private static TableMetadata other;
    private static TableMetadata stock;

    private Keyspace keyspace;

    @BeforeAll
    static void cassandraAsALibrary()
    {
        TestTables.initialize();
        engine = table("engine", TestTables.logged());
        other = table("other", TestTables.engine());
        stock = table("stock", MemtableParams.DEFAULT);
    }

    @BeforeEach
    void aKeyspace()
    {
        keyspace = Keyspace.mockKS(KeyspaceMetadata.create("shop", KeyspaceParams.simple(1), Tables.of(engine, other, stock)));
    }

    @Test
    void theFirstWriteIsTakenForOneWithAStockPart()
    {
        assertTrue(MutationParts.mayBeStock(keyspace, new CommitLogPosition(1, 1)));
        KeyspaceWriteHandler handler = keyspace.getWriteHandler();
        assertTrue(handler instanceof MutationParts);
        assertTrue(MutationParts.mayBeStock(keyspace, new CommitLogPosition(1, 2)), "of no mutation that has begun since");
        assertEquals(handler, keyspace.getWriteHandler(), "once");
    }

    @Test
    void stockPartsAreKnownFromThenOn()
    {
        MutationParts.mayBeStock(keyspace, new CommitLogPosition(1, 1));
        assertFalse(mayBeStock(mutation(engine)));
        assertFalse(mayBeStock(mutation(engine, other)));
        assertTrue(mayBeStock(mutation(engine, stock)));
        assertFalse(mayBeStock(mutation(engine)), "after one with a stock part");
    }

    @Test
    void configurationsOfTheSameStoreMayDifferInTheCommitLog()
    {
        CassiteriteFactory logged = new CassiteriteFactory(Map.of("commit_log", "on", "block_size", "8KiB"));
        CassiteriteFactory skipping = new CassiteriteFactory(Map.of("commit_log", "false", "block_size", "8KiB"));
        assertFalse(logged.writesShouldSkipCommitLog());
        assertTrue(skipping.writesShouldSkipCommitLog() && logged.writesAreDurable() && skipping.writesAreDurable());
        assertTrue(logged.isOfSameStore(skipping), "an ALTER keeps the memtable, with its rows");
        assertNotEquals(logged, skipping);
        assertEquals(Map.of("block_size", "8KiB"), logged.parameters());
        assertThrows(IllegalArgumentException.class, () -> new CassiteriteFactory(Map.of("commit_log", "maybe")));
    }

    private boolean mayBeStock(Mutation mutation)
    {
        try (WriteContext context = keyspace.getWriteHandler().beginWrite(mutation, true))
        {
            return MutationParts.mayBeStock(keyspace, ((CassandraWriteContext) context).getPosition());
        }
    }

    private static Mutation mutation(TableMetadata... tables)
    {
        Mutation.PartitionUpdateCollector updates =
            new Mutation.PartitionUpdateCollector("shop", Murmur3Partitioner.instance.decorateKey(Int32Type.instance.decompose(1)));
        for (TableMetadata table : tables)
        {
            PartitionUpdate.SimpleBuilder update = PartitionUpdate.simpleBuilder(table, 1);
            update.row().add("v", "x");
            updates.add(update.build());
        }
        return updates.build();
    }

    private static TableMetadata table(String name, MemtableParams memtable)
    {
        return TableMetadata.builder("shop", name).partitioner(Murmur3Partitioner.instance)
                            .addPartitionKeyColumn("k", Int32Type.instance).addRegularColumn("v", UTF8Type.instance)
                            .memtable(memtable).build();
    }
}
