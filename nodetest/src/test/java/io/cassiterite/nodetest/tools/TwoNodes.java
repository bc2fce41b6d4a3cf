/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.tools;

import java.util.List;
import java.util.function.Function;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A stock node, and one where a new table is an engine table. All classes of this JVM use them; they end with it. */
final class TwoNodes
{
    private static final String SCHEMA_TABLES = "SELECT * FROM system_schema.tables WHERE keyspace_name = ?";
    private static final List<String> SCHEMA = List.of("columns", "types", "dropped_columns", "keyspaces");

    private static Node stock;
    private static Node engine;

    private TwoNodes()
    {
    }

    static synchronized Node stock()
    {
        if (stock == null)
            stock = Node.named("tools-stock").stock().patient().start();
        return stock;
    }

    static synchronized Node engine()
    {
        if (engine == null)
            engine = Node.named("tools-engine").patient().jvm("-Dcassiterite.default_memtable=cassiterite").start();
        return engine;
    }

    static List<Node> both()
    {
        return List.of(stock(), engine());
    }

    static void freshKeyspace(String name)
    {
        for (Node node : both())
            try (Cql cql = node.cql())
            {
                cql.freshKeyspace(name);
            }
    }

    /** @return what both gave; fails where they differ */
    static List<String> same(Function<Node, List<String>> run)
    {
        List<String> expected = run.apply(stock());
        assertFalse(expected.isEmpty());
        assertEquals(String.join("\n", expected), String.join("\n", run.apply(engine())));
        return expected;
    }

    /** @return what a program of a tool printed that did the same in a new keyspace of both, which it left with the same tables */
    static List<String> sameProgram(String tool, String main, boolean isWithRows)
    {
        String keyspace = tool + "test";
        freshKeyspace(keyspace);
        List<String> lines = same(node -> Program.own(tool, main).lines(node, keyspace));
        assertSameKeyspace(keyspace, isWithRows);
        return lines;
    }

    /** The second table has the rows of the first one, and they are more than so many. */
    static void assertCopied(Node node, String keyspace, String from, String to, int moreThan)
    {
        List<String> rows = rows(node, keyspace + '.' + to);
        assertTrue(rows.size() > moreThan, rows::toString);
        List<String> original = rows(node, keyspace + '.' + from);
        assertEquals(String.join("\n", original.subList(1, original.size())), String.join("\n", rows.subList(1, rows.size())));
    }

    /** The keyspace has the same definitions on both, its tables are engine tables, and they hold the same rows. */
    static void assertSameKeyspace(String keyspace, boolean isWithRows)
    {
        same(node -> definitions(node, keyspace));
        try (Cql cql = engine().cql())
        {
            assertEquals(List.of("cassiterite"), cql.rows(SCHEMA_TABLES, keyspace).stream().map(row -> row.getString("memtable")).distinct()
                                                    .toList());
        }
        if (isWithRows)
            for (String table : names(keyspace))
                same(node -> rows(node, keyspace + '.' + table));
    }

    private static List<String> names(String keyspace)
    {
        try (Cql cql = engine().cql())
        {
            return cql.rows(SCHEMA_TABLES, keyspace).stream().map(row -> '"' + row.getString("table_name") + '"').toList();
        }
    }

    private static List<String> definitions(Node node, String keyspace)
    {
        try (Cql cql = node.cql())
        {
            List<String> found = cql.texts(SCHEMA_TABLES, keyspace);
            found.replaceAll(table -> table.replaceAll("(?<=[ ,])(id|memtable)=[^,]*", "$1"));
            // of a class of the engine's own
            found.addAll(cql.texts("SELECT table_name, index_name FROM system_schema.indexes WHERE keyspace_name = ?", keyspace));
            for (String part : SCHEMA)
                found.addAll(cql.texts("SELECT * FROM system_schema." + part + " WHERE keyspace_name = ?", keyspace));
            return found;
        }
    }

    /** @return a line that is always there, then the exact bytes of all rows, in the order they came */
    static List<String> rows(Node node, String table)
    {
        try (Cql cql = node.cql())
        {
            List<String> rows = cql.exact("SELECT * FROM " + table);
            rows.add(0, table);
            return rows;
        }
    }
}
