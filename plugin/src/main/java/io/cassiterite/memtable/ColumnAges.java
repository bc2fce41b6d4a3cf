/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

import org.apache.cassandra.cql3.QueryProcessor;
import org.apache.cassandra.cql3.UntypedResultSet;
import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.schema.Keyspaces;
import org.apache.cassandra.schema.Schema;
import org.apache.cassandra.schema.SchemaConstants;
import org.apache.cassandra.schema.SchemaKeyspaceTables;
import org.apache.cassandra.schema.TableMetadata;

/**
 * When the columns of a table were added to the schema. Schema mutations keep their write times on their way through a
 * cluster, so every node finds the same here. A joining node, which gets many changes at once, orders columns as the
 * others did. Columns that are numbered in this order have the same ids on all nodes, and files can then be streamed as
 * they are.
 */
public final class ColumnAges
{
    private static final String ALL = String.format("SELECT keyspace_name, table_name, column_name, writetime(type) AS written FROM %s.%s",
                                                    SchemaConstants.SCHEMA_KEYSPACE_NAME, SchemaKeyspaceTables.COLUMNS);
    private static final String OF_ONE = ALL + " WHERE keyspace_name = ? AND table_name = ?";
    private static final int PAGE_ROWS = 5000;

    /** While the node starts, and as long as its schema does not change: a query for each table would take a fifth of the start. */
    private static volatile OfSchema atStart;
    private static volatile boolean hasStarted;

    private ColumnAges()
    {
    }

    /**
     * Reads this node's schema tables, which Cassandra writes before it opens or alters a table.
     *
     * @return write times in microseconds since 1970; a column that is not there is the youngest
     */
    public static ToLongFunction<ColumnMetadata> of(TableMetadata metadata)
    {
        Map<String, Long> known = ofStart(metadata);
        Map<String, Long> writtenMicros = known == null ? ofOne(metadata) : known;
        return column -> writtenMicros.getOrDefault(column.name.toString(), Long.MAX_VALUE);
    }

    /** Tables that are opened from now on ask for their own columns only. */
    public static void nodeHasStarted()
    {
        hasStarted = true;
        atStart = null;
    }

    private static Map<String, Long> ofOne(TableMetadata metadata)
    {
        Map<String, Long> writtenMicros = new HashMap<>();
        for (UntypedResultSet.Row row : QueryProcessor.executeInternal(OF_ONE, metadata.keyspace, metadata.name))
            writtenMicros.put(row.getString("column_name"), row.getLong("written"));
        return writtenMicros;
    }

    /** @return null if they are not known, or not those of this schema: a table is changed before the schema has the change */
    private static Map<String, Long> ofStart(TableMetadata metadata)
    {
        if (hasStarted)
            return null;
        Keyspaces schema = Schema.instance.distributedKeyspaces();
        if (schema.getTableOrViewNullable(metadata.id) != metadata)
            return null;
        OfSchema all = atStart;
        if (all == null)
            atStart = all = new OfSchema(schema);
        if (all.schema != schema)
        {
            nodeHasStarted();
            return null;
        }
        Map<String, Long> known = all.writtenMicros.get(List.of(metadata.keyspace, metadata.name));
        boolean isComplete = known != null && metadata.columns().stream().allMatch(column -> known.containsKey(column.name.toString()));
        return isComplete ? known : null;
    }

    private static final class OfSchema
    {
        final Keyspaces schema;
        final Map<List<String>, Map<String, Long>> writtenMicros = new HashMap<>();

        OfSchema(Keyspaces schema)
        {
            this.schema = schema;
            for (UntypedResultSet.Row row : QueryProcessor.executeInternalWithPaging(ALL, PAGE_ROWS))
                writtenMicros.computeIfAbsent(List.of(row.getString("keyspace_name"), row.getString("table_name")), of -> new HashMap<>())
                             .put(row.getString("column_name"), row.getLong("written"));
        }
    }
}
