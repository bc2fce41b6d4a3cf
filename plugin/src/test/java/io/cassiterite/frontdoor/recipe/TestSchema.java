/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.recipe;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.ToIntFunction;
import java.util.function.UnaryOperator;

import org.apache.cassandra.config.CassandraRelevantProperties;
import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.cql3.QueryHandler;
import org.apache.cassandra.cql3.QueryProcessor;
import org.apache.cassandra.cql3.statements.schema.CreateTableStatement;
import org.apache.cassandra.cql3.statements.schema.CreateTypeStatement;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.schema.KeyspaceMetadata;
import org.apache.cassandra.schema.KeyspaceParams;
import org.apache.cassandra.schema.Schema;
import org.apache.cassandra.schema.SchemaTransformation;
import org.apache.cassandra.schema.SchemaTransformations;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.schema.Types;
import org.apache.cassandra.service.ClientState;
import org.apache.cassandra.utils.MD5Digest;

/** Cassandra's schema without a node, with a keyspace of engine tables. */
final class TestSchema implements EngineColumns
{
    static final String KEYSPACE = "k";

    private final Map<TableId, Map<String, Integer>> ids = new HashMap<>();
    private final Set<TableId> behind = new HashSet<>();
    private int tables;

    TestSchema()
    {
        DatabaseDescriptor.clientInitialization(false);
        CassandraRelevantProperties.FORCE_LOAD_LOCAL_KEYSPACES.setBoolean(true);
        DatabaseDescriptor.setPartitionerUnsafe(Murmur3Partitioner.instance);
        KeyspaceMetadata keyspace = KeyspaceMetadata.create(KEYSPACE, KeyspaceParams.simple(1));
        apply(SchemaTransformations.addKeyspace(keyspace, false));
    }

    private static void apply(SchemaTransformation change)
    {
        Schema.instance.transform(change, true);
    }

    /** Creates an engine table; its columns have ids from 11 on, in their order. */
    TableMetadata create(String cql)
    {
        TableMetadata table = createStock(cql);
        Map<String, Integer> columns = new HashMap<>();
        table.regularAndStaticColumns().forEach(column -> columns.put(column.name.toString(), 11 + columns.size()));
        ids.put(table.id, columns);
        return table;
    }

    TableMetadata createStock(String cql)
    {
        Types types = Schema.instance.getKeyspaceMetadata(KEYSPACE).types;
        TableMetadata table = QueryProcessor.parseStatement(cql, CreateTableStatement.Raw.class, "CREATE TABLE")
                                            .keyspace(KEYSPACE).prepare(null).builder(types)
                                            .id(TableId.fromUUID(new UUID(0x1111_2222_3333_4444L, ++tables))).build();
        apply(SchemaTransformations.addTable(table, false));
        return table;
    }

    void createType(String cql)
    {
        apply(QueryProcessor.parseStatement(cql, CreateTypeStatement.Raw.class, "CREATE TYPE").prepare(ClientState.forInternalCalls()));
    }

    void change(UnaryOperator<KeyspaceMetadata> change)
    {
        apply(before -> before.withAddedOrUpdated(change.apply(before.get(KEYSPACE).get())));
    }

    /** Replaces a table by another version of it. */
    void alter(TableMetadata altered)
    {
        change(keyspace -> keyspace.withSwapped(keyspace.tables.withSwapped(altered)));
    }

    void drop(String table)
    {
        change(keyspace -> keyspace.withSwapped(keyspace.tables.without(table)));
    }

    /** The engine has yet to take over the table's present schema. */
    void engineIsBehind(TableMetadata table)
    {
        behind.add(table.id);
    }

    Learned learn(String cql)
    {
        return learn(QueryProcessor.parseAndPrepare(cql, ClientState.forInternalCalls(), false, false));
    }

    Learned learn(QueryHandler.Prepared prepared)
    {
        return new RecipeLearner(this).examine(id(prepared), prepared);
    }

    static MD5Digest id(QueryHandler.Prepared prepared)
    {
        return MD5Digest.compute(prepared.rawCQLStatement);
    }

    /** There is no engine: whoever learns a modification is refused. */
    @Override
    public byte[] writeRequest(PartitionUpdate update)
    {
        return null;
    }

    @Override
    public TableMetadata schema(TableId table)
    {
        return ids.containsKey(table) ? Schema.instance.getTableMetadata(table) : null;
    }

    @Override
    public ToIntFunction<ColumnMetadata> ids(TableId table)
    {
        return behind.contains(table) ? null : column -> ids.get(table).getOrDefault(column.name.toString(), 0);
    }
}
