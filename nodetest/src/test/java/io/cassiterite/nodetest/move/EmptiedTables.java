/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.move;

import java.util.List;

import io.cassiterite.nodetest.Cql;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Tables t0, t1 ... of the keyspace in use, which are emptied while their rows move: every other one by DROP, with the same id again. */
final class EmptiedTables
{
    private static final String COLUMNS = " (k int PRIMARY KEY, v text) WITH memtable = '" + EnteringNode.KEY + "'";

    private EmptiedTables()
    {
    }

    static void fill(Cql cql, int table, int rows)
    {
        cql.run("CREATE TABLE t" + table + COLUMNS);
        for (int k = 0; k < rows; k++)
            cql.run("INSERT INTO t" + table + " (k, v) VALUES (?, ?)", k, "x".repeat(500));
    }

    static void empty(Cql cql, int table)
    {
        if (table % 2 == 0)
        {
            cql.run("TRUNCATE t" + table);
            return;
        }
        String of = " WHERE keyspace_name = '" + FilledTables.KEYSPACE + "' AND table_name = 't" + table + "'";
        String id = cql.texts("SELECT id FROM system_schema.tables" + of).get(0).replace("id=", "");
        cql.run("DROP TABLE t" + table);
        cql.run("CREATE TABLE t" + table + COLUMNS + " AND ID = " + id);
    }

    static void assertEmpty(Cql cql, int tables)
    {
        for (int i = 0; i < tables; i++)
            assertEquals(List.of(), cql.texts("SELECT k FROM t" + i), "t" + i);
    }
}
