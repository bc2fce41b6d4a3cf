/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.lifecycle;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.apache.cassandra.cql3.QueryProcessor;
import org.apache.cassandra.cql3.UntypedResultSet;
import org.apache.cassandra.db.compaction.AbstractCompactionStrategy;
import org.apache.cassandra.db.marshal.UTF8Type;
import org.apache.cassandra.schema.IndexMetadata;
import org.apache.cassandra.schema.SchemaConstants;
import org.apache.cassandra.schema.TableMetadata;

import io.cassiterite.schema.SchemaRules;

/**
 * What tables of the schema have that keeps them out of the engine. Cassandra has not read the schema yet: these are range
 * reads of its tables, which do not need the storage hook.
 */
final class EntryObstacles
{
    private static final String INDEXES = "SELECT keyspace_name, table_name, index_name, kind, options FROM %s.indexes";
    private static final String VIEWS = "SELECT keyspace_name, view_name, base_table_name FROM %s.views";
    private static final String TABLES = "SELECT keyspace_name, table_name, flags, compaction FROM %s.tables";

    private final Map<String, StartFacts.SchemaTable> tables = new HashMap<>();

    private EntryObstacles(StartFacts facts)
    {
        for (StartFacts.SchemaTable table : facts.tables)
            tables.put(table.name, table);
    }

    /** Adds them to the tables that the facts have already. */
    static void addTo(StartFacts facts)
    {
        EntryObstacles obstacles = new EntryObstacles(facts);
        read(INDEXES).forEach(obstacles::addIndex);
        read(VIEWS).forEach(obstacles::addView);
        read(TABLES).forEach(obstacles::addOptions);
    }

    private static UntypedResultSet read(String query)
    {
        return QueryProcessor.executeOnceInternal(String.format(query, SchemaConstants.SCHEMA_KEYSPACE_NAME));
    }

    private List<String> of(UntypedResultSet.Row row, String nameColumn)
    {
        StartFacts.SchemaTable table = tables.get(row.getString("keyspace_name") + '.' + row.getString(nameColumn));
        return table == null ? null : table.obstacles;
    }

    private void addIndex(UntypedResultSet.Row row)
    {
        List<String> obstacles = of(row, "table_name");
        IndexMetadata.Kind kind = IndexMetadata.Kind.valueOf(row.getString("kind"));
        Map<String, String> options = row.getFrozenTextMap("options");
        if (obstacles != null && !SchemaRules.isEngineIndex(IndexMetadata.fromSchemaMetadata(row.getString("index_name"), kind, options)))
            obstacles.add("the index " + row.getString("index_name"));
    }

    private void addView(UntypedResultSet.Row row)
    {
        String view = row.getString("view_name");
        List<String> ofBase = of(row, "base_table_name");
        if (ofBase != null)
            ofBase.add("the materialized view " + view);
        List<String> ofView = of(row, "view_name");
        if (ofView != null)
            ofView.add("rows of a materialized view");
    }

    private void addOptions(UntypedResultSet.Row row)
    {
        List<String> obstacles = of(row, "table_name");
        if (obstacles == null)
            return;
        Set<TableMetadata.Flag> flags = TableMetadata.Flag.fromStringSet(row.getFrozenSet("flags", UTF8Type.instance));
        if (!TableMetadata.Flag.isCQLTable(flags))
            obstacles.add("COMPACT STORAGE");
        String option = AbstractCompactionStrategy.ONLY_PURGE_REPAIRED_TOMBSTONES;
        if (Boolean.parseBoolean(row.getFrozenTextMap("compaction").get(option)))
            obstacles.add(option);
    }
}
