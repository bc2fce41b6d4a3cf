/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.util.List;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.db.ColumnFamilyStore.FlushReason;
import org.apache.cassandra.db.marshal.UTF8Type;
import org.apache.cassandra.dht.ByteOrderedPartitioner;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.exceptions.ConfigurationException;
import org.apache.cassandra.schema.SchemaConstants;
import org.apache.cassandra.schema.TableMetadata;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The refusals; their messages name the table and the reason. */
class RefusalsTest
{
    @BeforeAll
    static void cassandraAsALibrary()
    {
        DatabaseDescriptor.clientInitialization(false);
    }

    private static TableMetadata.Builder table(String keyspace)
    {
        return TableMetadata.builder(keyspace, "orders").partitioner(Murmur3Partitioner.instance)
                            .addPartitionKeyColumn("k", UTF8Type.instance)
                            .addRegularColumn("v", UTF8Type.instance);
    }

    @Test
    void anOrdinaryTableIsAccepted()
    {
        assertDoesNotThrow(() -> Refusals.checkTable(table("shop").build()));
        assertDoesNotThrow(() -> Refusals.checkTable(table(SchemaConstants.DISTRIBUTED_KEYSPACE_NAME).build()));
    }

    @Test
    void tablesThatTheEngineDoesNotSupportAreRefused()
    {
        assertRefused(table(SchemaConstants.SYSTEM_KEYSPACE_NAME), "local system keyspaces");
        assertRefused(table(SchemaConstants.SCHEMA_KEYSPACE_NAME), "local system keyspaces");
        assertRefused(table(SchemaConstants.VIRTUAL_VIEWS), "local system keyspaces");
        assertRefused(table("shop").kind(TableMetadata.Kind.INDEX), "secondary indexes");
        assertRefused(table("shop").kind(TableMetadata.Kind.VIEW), "materialized views");
        assertRefused(table("shop").partitioner(ByteOrderedPartitioner.instance), "not ByteOrderedPartitioner");
    }

    private static void assertRefused(TableMetadata.Builder builder, String reason)
    {
        TableMetadata table = builder.build();
        assertNames(assertThrows(ConfigurationException.class, () -> Refusals.checkTable(table)), table, reason);
    }

    @Test
    void refusalsNameTheReasonOrWhatToDo()
    {
        TableMetadata table = table("shop").build();
        assertNames(Refusals.indexed(table), table, "Drop the indexes");
        assertNames(Refusals.flush(table), table, "copy it with cqlsh");
        assertNames(Refusals.dropped(table), table, "has been dropped");
        for (FlushReason reason : List.of(FlushReason.STREAMING, FlushReason.VALIDATION))
            assertNames(Refusals.unseen(table, reason), table, reason + " of ");
    }

    private static void assertNames(RuntimeException refusal, TableMetadata table, String reason)
    {
        String message = refusal.getMessage();
        assertTrue(message.contains(table.toString()) && message.contains(reason), message);
        assertTrue(message.lines().count() == 1, message);
    }
}
