/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.schema;

import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.cql3.WhereClause;
import org.apache.cassandra.db.marshal.UTF8Type;
import org.apache.cassandra.dht.ByteOrderedPartitioner;
import org.apache.cassandra.dht.IPartitioner;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.exceptions.InvalidRequestException;
import org.apache.cassandra.schema.CompactionParams;
import org.apache.cassandra.schema.IndexMetadata;
import org.apache.cassandra.schema.Indexes;
import org.apache.cassandra.schema.KeyspaceMetadata;
import org.apache.cassandra.schema.KeyspaceParams;
import org.apache.cassandra.schema.Keyspaces;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.schema.Tables;
import org.apache.cassandra.schema.ViewMetadata;
import org.apache.cassandra.schema.Views;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class SchemaRulesTest
{
    private static final String ENGINE_COMMENT = "engine";

    /** A comment stands for the memtable, which needs a running node. */
    private static final Predicate<TableMetadata> IS_ENGINE = table -> table.params.comment.equals(ENGINE_COMMENT);
    private static final Predicate<TableMetadata> NONE = table -> false;

    private final SchemaRules rules = new SchemaRules(IS_ENGINE, IS_ENGINE, null);

    @BeforeAll
    static void cassandraAsALibrary()
    {
        DatabaseDescriptor.clientInitialization(false);
    }

    @Test
    void plainTableIsAccepted()
    {
        assertEquals(List.of(), rules.refusals(Keyspaces.none(), keyspaces(engine("t").build())));
    }

    @Test
    void everyKindOfIndexIsRefused()
    {
        TableMetadata before = engine("t").build();
        for (IndexMetadata index : List.of(index(IndexMetadata.Kind.COMPOSITES, Map.of()),
                                           index(IndexMetadata.Kind.CUSTOM, Map.of("class_name", "sai")),
                                           index(IndexMetadata.Kind.CUSTOM, Map.of("class_name", "SASIIndex"))))
            assertRefused(keyspaces(before), keyspaces(before.unbuild().indexes(Indexes.of(index)).build()), "Index i");
    }

    @Test
    void indexOfTheEngineIsAccepted()
    {
        TableMetadata before = engine("t").build();
        IndexMetadata index = index(IndexMetadata.Kind.CUSTOM, Map.of("class_name", IndexMapping.CLASS));
        assertEquals(List.of(), rules.refusals(keyspaces(before), keyspaces(before.unbuild().indexes(Indexes.of(index)).build())));
    }

    @Test
    void indexOfTheEngineOnStockTableIsRefused()
    {
        TableMetadata before = stock("t").build();
        IndexMetadata index = index(IndexMetadata.Kind.CUSTOM, Map.of("class_name", IndexMapping.CLASS));
        assertRefused(keyspaces(before), keyspaces(before.unbuild().indexes(Indexes.of(index)).build()), "not a Cassiterite table");
    }

    @Test
    void indexOnStockTableIsAccepted()
    {
        TableMetadata before = stock("t").build();
        IndexMetadata index = index(IndexMetadata.Kind.COMPOSITES, Map.of());
        assertEquals(List.of(), rules.refusals(keyspaces(before), keyspaces(before.unbuild().indexes(Indexes.of(index)).build())));
    }

    @Test
    void indexThatCameFromElsewhereCanBeDroppedAndLivedWith()
    {
        IndexMetadata index = index(IndexMetadata.Kind.COMPOSITES, Map.of());
        TableMetadata indexed = engine("t").indexes(Indexes.of(index)).build();
        assertEquals(List.of(), rules.refusals(keyspaces(indexed), keyspaces(indexed.unbuild().indexes(Indexes.none()).build())));
        assertEquals(List.of(), rules.refusals(keyspaces(indexed), keyspaces(indexed.unbuild().gcGraceSeconds(5).build())));
    }

    @Test
    void changeDataCaptureIsRefused()
    {
        assertRefused(Keyspaces.none(), keyspaces(withCdc(engine("t").build())), "has commit_log: true");
        SchemaRules logged = new SchemaRules(IS_ENGINE, NONE, null);
        assertEquals(List.of(), logged.refusals(Keyspaces.none(), keyspaces(withCdc(engine("t").build()))));
    }

    @Test
    void compactionThatNeverPurgesIsRefused()
    {
        String option = "only_purge_repaired_tombstones";
        CompactionParams compaction = CompactionParams.fromMap(Map.of("class", "SizeTieredCompactionStrategy", option, "true"));
        TableMetadata before = engine("t").build();
        TableMetadata after = before.unbuild().params(before.params.unbuild().compaction(compaction).build()).build();
        assertRefused(keyspaces(before), keyspaces(after), option);
        assertRefused(Keyspaces.none(), keyspaces(after), option);
    }

    @Test
    void newTableWhereTheCommitLogIsArchivedIsRefused()
    {
        SchemaRules archived = new SchemaRules(IS_ENGINE, IS_ENGINE, "archive_command");
        TableMetadata table = engine("t").build();
        assertTrue(archived.refusals(Keyspaces.none(), keyspaces(table)).get(0).contains("sets archive_command"));
        assertEquals(List.of(), archived.refusals(Keyspaces.none(), keyspaces(stock("t").build())));
        assertEquals(List.of(), archived.refusals(keyspaces(table), keyspaces(table.unbuild().gcGraceSeconds(5).build())));
        SchemaRules logged = new SchemaRules(IS_ENGINE, NONE, "archive_command");
        assertEquals(List.of(), logged.refusals(Keyspaces.none(), keyspaces(table)));
        SchemaRules turnedOff = new SchemaRules(IS_ENGINE, of -> of.params.gcGraceSeconds == 5, "archive_command");
        assertEquals(1, turnedOff.refusals(keyspaces(table), keyspaces(table.unbuild().gcGraceSeconds(5).build())).size());
    }

    @Test
    void compactStorageIsRefused()
    {
        TableMetadata compact = engine("t").flags(EnumSet.of(TableMetadata.Flag.DENSE)).build();
        assertRefused(Keyspaces.none(), keyspaces(compact), "COMPACT STORAGE");
    }

    @Test
    void otherPartitionerIsRefused()
    {
        TableMetadata ordered = table("t", ByteOrderedPartitioner.instance, ENGINE_COMMENT).build();
        assertRefused(Keyspaces.none(), keyspaces(ordered), "Murmur3Partitioner");
    }

    @Test
    void memtableOfExistingTableCannotChange()
    {
        TableMetadata stock = stock("t").build();
        TableMetadata engine = stock.unbuild().comment(ENGINE_COMMENT).build();
        assertRefused(keyspaces(stock), keyspaces(engine), "cannot change to Cassiterite");
        assertRefused(keyspaces(engine), keyspaces(stock), "cannot change from Cassiterite");
    }

    @Test
    void tableMayBeCreatedAgainWithAnotherMemtable()
    {
        assertEquals(List.of(), rules.refusals(keyspaces(stock("t").build()), keyspaces(engine("t").build())));
    }

    @Test
    void viewOnEngineTableIsRefused()
    {
        TableMetadata base = engine("t").build();
        assertRefused(keyspaces(base), withView(base, stock("v")), "Materialized view");
    }

    @Test
    void viewInTheEngineIsRefused()
    {
        TableMetadata base = stock("t").build();
        assertRefused(keyspaces(base), withView(base, engine("v")), "Materialized view");
    }

    @Test
    void viewOnStockTableIsAccepted()
    {
        TableMetadata base = stock("t").build();
        assertEquals(List.of(), rules.refusals(keyspaces(base), withView(base, stock("v"))));
    }

    @Test
    void tableOfCassandraItselfIsRefused()
    {
        TableMetadata table = TableMetadata.builder("system_auth", "t")
                                           .partitioner(Murmur3Partitioner.instance)
                                           .comment(ENGINE_COMMENT)
                                           .addPartitionKeyColumn("k", UTF8Type.instance)
                                           .build();
        Keyspaces after = Keyspaces.of(KeyspaceMetadata.create("system_auth", KeyspaceParams.simple(1), Tables.of(table)));
        assertRefused(Keyspaces.none(), after, "table of Cassandra itself");
    }

    @Test
    void transientReplicasAreRefused()
    {
        KeyspaceParams params = KeyspaceParams.create(true, Map.of("class", "NetworkTopologyStrategy", "dc1", "3/1"));
        Keyspaces after = Keyspaces.of(KeyspaceMetadata.create("shop", params, Tables.of(engine("t").build())));
        assertRefused(Keyspaces.none(), after, "transient replicas");
    }

    @Test
    void refusalIsAnInvalidRequest()
    {
        Keyspaces after = keyspaces(withCdc(engine("t").build()));
        assertThrows(InvalidRequestException.class, () -> rules.check(Keyspaces.none(), after));
    }

    private void assertRefused(Keyspaces before, Keyspaces after, String reason)
    {
        List<String> refusals = rules.refusals(before, after);
        assertEquals(1, refusals.size(), refusals::toString);
        assertTrue(refusals.get(0).contains(reason), refusals::toString);
    }

    private static IndexMetadata index(IndexMetadata.Kind kind, Map<String, String> options)
    {
        Map<String, String> all = new HashMap<>(options);
        all.put("target", "v");
        return IndexMetadata.fromSchemaMetadata("i", kind, all);
    }

    private static TableMetadata withCdc(TableMetadata table)
    {
        return table.unbuild().params(table.params.unbuild().cdc(true).build()).build();
    }

    private static TableMetadata.Builder engine(String name)
    {
        return table(name, Murmur3Partitioner.instance, ENGINE_COMMENT);
    }

    private static TableMetadata.Builder stock(String name)
    {
        return table(name, Murmur3Partitioner.instance, "");
    }

    private static TableMetadata.Builder table(String name, IPartitioner partitioner, String comment)
    {
        return TableMetadata.builder("shop", name, TableId.generate())
                            .partitioner(partitioner)
                            .comment(comment)
                            .addPartitionKeyColumn("k", UTF8Type.instance)
                            .addRegularColumn("v", UTF8Type.instance);
    }

    private static Keyspaces keyspaces(TableMetadata... tables)
    {
        return Keyspaces.of(KeyspaceMetadata.create("shop", KeyspaceParams.simple(1), Tables.of(tables)));
    }

    private static Keyspaces withView(TableMetadata base, TableMetadata.Builder view)
    {
        ViewMetadata metadata = new ViewMetadata(base.id, base.name, true, WhereClause.empty(),
                                                 view.kind(TableMetadata.Kind.VIEW).build());
        KeyspaceMetadata keyspace = keyspaces(base).getNullable("shop");
        return Keyspaces.of(keyspace.withSwapped(Views.builder().put(metadata).build()));
    }
}
