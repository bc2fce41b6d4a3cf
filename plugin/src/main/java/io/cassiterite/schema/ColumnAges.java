/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.schema;

import java.util.HashMap;
import java.util.Map;
import java.util.function.ToLongFunction;

import org.apache.cassandra.cql3.QueryProcessor;
import org.apache.cassandra.cql3.UntypedResultSet;
import org.apache.cassandra.schema.ColumnMetadata;
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
    private static final String QUERY = String.format("SELECT column_name, writetime(type) AS written FROM %s.%s"
                                                      + " WHERE keyspace_name = ? AND table_name = ?",
                                                      SchemaConstants.SCHEMA_KEYSPACE_NAME, SchemaKeyspaceTables.COLUMNS);

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
        Map<String, Long> writtenMicros = new HashMap<>();
        for (UntypedResultSet.Row row : QueryProcessor.executeInternal(QUERY, metadata.keyspace, metadata.name))
            writtenMicros.put(row.getString("column_name"), row.getLong("written"));
        return column -> writtenMicros.getOrDefault(column.name.toString(), Long.MAX_VALUE);
    }
}
