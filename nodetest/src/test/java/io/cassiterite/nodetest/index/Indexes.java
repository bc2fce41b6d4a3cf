/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.index;

import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.Row;

import io.cassiterite.nodetest.Await;
import io.cassiterite.nodetest.Cql;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** What tests of indexes share. */
public final class Indexes
{
    private static final Duration BOUND = Duration.ofMinutes(4);

    private Indexes()
    {
    }

    /** Of column v, by the table's name and _v. */
    static void index(Cql cql, String keyspace, String table)
    {
        cql.run("CREATE INDEX " + table + "_v ON " + keyspace + '.' + table + " (v)");
        awaitBuilt(cql, keyspace, table + "_v");
    }

    static void awaitBuilt(Cql cql, String keyspace, int count)
    {
        await(BOUND, () -> built(cql, keyspace).size() >= count);
    }

    /** Until then a query of the index fails with a ReadFailure, as by Cassandra's own. */
    public static void awaitBuilt(Cql cql, String keyspace, String index)
    {
        await(BOUND, () -> isBuilt(cql, keyspace, index));
    }

    /** Whether the node of the session says so. */
    static boolean isBuilt(Cql cql, String keyspace, String index)
    {
        return built(cql, keyspace).contains(index);
    }

    private static List<String> built(Cql cql, String keyspace)
    {
        List<Row> rows = cql.localRows("SELECT index_name FROM system.\"IndexInfo\" WHERE table_name = '" + keyspace + '\'');
        return rows.stream().map(row -> row.getString(0)).collect(Collectors.toList());
    }

    /** Waits for a condition, which may fail with the driver's exceptions meanwhile. */
    static void await(Duration bound, BooleanSupplier condition)
    {
        Await.until("the condition comes true", bound, () -> holds(condition));
    }

    private static boolean holds(BooleanSupplier condition)
    {
        try
        {
            return condition.getAsBoolean();
        }
        catch (DriverException e)
        {
            return false;
        }
    }

    /** Makes tables of the same columns, in the engine and outside it. */
    static void createTwins(Cql cql, String columns)
    {
        cql.run("CREATE TABLE stock (" + columns + ") WITH memtable = 'trie'");
        cql.run("CREATE TABLE engine (" + columns + ") WITH memtable = 'cassiterite'");
    }

    /** Indexes the engine's one of the twins. */
    static void indexTwin(Cql cql, String keyspace, String... columns)
    {
        for (String column : columns)
        {
            cql.run("CREATE INDEX engine_" + column + " ON engine (" + column + ')');
            awaitBuilt(cql, keyspace, "engine_" + column);
        }
    }

    /** The engine's twin answers by index what stock's answers by a filter: whole, in pages, and cut by a LIMIT. */
    static void assertFindsWhatAFilterFinds(Cql cql, String columns, String where)
    {
        String filtered = " FROM stock WHERE " + where;
        String indexed = " FROM engine WHERE " + where;
        assertEquals(cql.texts("SELECT *" + filtered + " ALLOW FILTERING"), cql.texts("SELECT *" + indexed));
        for (int rows : new int[]{ 1, 7, 100 })
            assertEquals(cql.exactPaged(rows, "SELECT " + columns + filtered + " ALLOW FILTERING"),
                         cql.exactPaged(rows, "SELECT " + columns + indexed), "pages of " + rows);
        assertEquals(cql.texts("SELECT p, c" + filtered + " LIMIT 3 ALLOW FILTERING"), cql.texts("SELECT p, c" + indexed + " LIMIT 3"));
    }

    /** The warnings that a statement's answer has. */
    static String warnings(Cql cql, String statement)
    {
        return cql.run(statement).getExecutionInfo().getWarnings().toString();
    }
}
