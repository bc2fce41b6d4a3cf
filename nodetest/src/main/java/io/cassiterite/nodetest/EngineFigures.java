/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest;

import java.util.List;

import com.datastax.oss.driver.api.core.cql.Row;

/** The engine's figures of a table, whichever of the virtual tables has them. */
public final class EngineFigures
{
    private static final List<String> TABLES = List.of("tables", "table_load", "table_files", "table_compaction", "table_rewritten",
                                                       "table_purged", "table_state");

    private EngineFigures()
    {
    }

    public static long of(Cql cql, String keyspace, String table, String figure)
    {
        return of(cql, keyspace, table, "", figure);
    }

    /** @param index its name, empty for the table itself */
    public static long of(Cql cql, String keyspace, String table, String index, String figure)
    {
        for (String name : TABLES)
        {
            List<Row> rows = cql.rows("SELECT * FROM cassiterite." + name + " WHERE keyspace_name = ? AND table_name = ?"
                                      + " AND index_name = ?", keyspace, table, index);
            if (rows.size() == 1 && rows.get(0).getColumnDefinitions().contains(figure))
                return rows.get(0).getLong(figure);
        }
        throw new AssertionError("no figure " + figure + " of " + keyspace + '.' + table);
    }
}
