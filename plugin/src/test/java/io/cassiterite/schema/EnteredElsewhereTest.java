/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.schema;

import java.util.List;
import java.util.Map;
import java.util.Set;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.apache.cassandra.cql3.statements.schema.IndexTarget;
import org.apache.cassandra.db.marshal.UTF8Type;
import org.apache.cassandra.locator.InetAddressAndPort;
import org.apache.cassandra.schema.IndexMetadata;
import org.apache.cassandra.schema.Indexes;
import org.apache.cassandra.schema.KeyspaceMetadata;
import org.apache.cassandra.schema.KeyspaceParams;
import org.apache.cassandra.schema.Keyspaces;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.schema.Tables;

import io.cassiterite.memtable.TestMemtable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class EnteredElsewhereTest
{
    private static TableMetadata stock;

    @BeforeAll
    static void initialize()
    {
        TestMemtable.initialize();
        stock = TableMetadata.builder("shop", "orders", TableId.generate()).addPartitionKeyColumn("k", UTF8Type.instance)
                             .addRegularColumn("v", UTF8Type.instance).build();
    }

    private static Keyspaces keyspaces(TableMetadata table)
    {
        return Keyspaces.of(KeyspaceMetadata.create("shop", KeyspaceParams.simple(1), Tables.of(table)));
    }

    private static List<String> refusals(boolean isEngineHere, Set<InetAddressAndPort> members, TableMetadata after)
    {
        return new EnteredElsewhere(table -> isEngineHere, key -> key.equals("default") ? members : Set.of())
               .refusals(keyspaces(stock), keyspaces(after));
    }

    private static TableMetadata indexed()
    {
        IndexMetadata index = IndexMetadata.fromSchemaMetadata("by_v", IndexMetadata.Kind.COMPOSITES,
                                                               Map.of(IndexTarget.TARGET_OPTION_NAME, "v"));
        return stock.unbuild().indexes(Indexes.of(index)).build();
    }

    @Test
    void whatEngineNodesLackIsRefusedHere() throws Exception
    {
        Set<InetAddressAndPort> entered = Set.of(InetAddressAndPort.getByName("127.0.0.2"));
        for (TableMetadata after : List.of(indexed(), stock.unbuild().params(stock.params.unbuild().cdc(true).build()).build()))
        {
            List<String> refusals = refusals(false, entered, after);
            assertEquals(1, refusals.size());
            assertTrue(refusals.get(0).startsWith("shop.orders is a Cassiterite table on [/127.0.0.2:"), refusals.get(0));
            assertEquals(List.of(), refusals(true, entered, after));
            assertEquals(List.of(), refusals(false, Set.of(), after));
        }
    }

    @Test
    void otherChangesPass() throws Exception
    {
        TableMetadata grown = stock.unbuild().addRegularColumn("w", UTF8Type.instance).build();
        assertEquals(List.of(), refusals(false, Set.of(InetAddressAndPort.getByName("127.0.0.2")), grown));
    }
}
