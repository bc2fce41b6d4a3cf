/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.tools;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Pairs of a stock table and an engine table, which get the same rows in rounds. A round also overwrites and deletes. */
final class BackedUpTables
{
    private static final int PARTITIONS = 40;
    private static final int ROWS = 15;
    private static final List<String> HOMES = List.of("stock", "engine");

    private final String keyspace;

    private BackedUpTables(String keyspace)
    {
        this.keyspace = keyspace;
    }

    static BackedUpTables create(Node node, String keyspace)
    {
        BackedUpTables tables = new BackedUpTables(keyspace);
        try (Cql cql = node.cql())
        {
            cql.freshKeyspace(keyspace);
            for (String home : HOMES)
            {
                String options = " WITH memtable = '" + (home.equals("stock") ? "trie" : "cassiterite") + '\'';
                cql.run("CREATE TABLE " + keyspace + '.' + home + " (k int, c int, s text static, v text, n int, m map<text, int>," +
                        " PRIMARY KEY (k, c))" + options);
                cql.run("CREATE TABLE " + keyspace + '.' + home + "_counts (k int PRIMARY KEY, n counter)" + options);
            }
        }
        return tables;
    }

    /** Writes have the round as their timestamp, but for those of counters: what is left of a later round wins. */
    void write(Node node, int round)
    {
        HOMES.forEach(home -> write(node, home, round));
    }

    private void write(Node node, String table, int round)
    {
        try (Cql cql = node.cql(keyspace))
        {
            cql.runEach("INSERT INTO " + table + " (k, c, s, v, n, m) VALUES (?, ?, ?, ?, ?, {'a': 1}) USING TIMESTAMP " + round,
                        IntStream.range(0, PARTITIONS * ROWS).filter(i -> round == 1 || i % 3 == round % 3),
                        i -> new Object[]{ i / ROWS, i % ROWS, "s" + round, "v" + i * round, round });
            cql.runEach("INSERT INTO " + table + " (k, c, v) VALUES (?, 0, 'new') USING TIMESTAMP " + round,
                        IntStream.range(0, PARTITIONS), k -> new Object[]{ 1000 * round + k });
            String delete = " FROM " + table + " USING TIMESTAMP " + round + " WHERE k = ";
            cql.run("DELETE" + delete + round);
            cql.run("DELETE" + delete + (10 + round) + " AND c > 5");
            cql.run("DELETE" + delete + (20 + round) + " AND c = 3");
            cql.run("DELETE v, m['a']" + delete + (30 + round) + " AND c = 3");
            cql.runEach("UPDATE " + table + "_counts SET n = n + " + round + " WHERE k = ?", IntStream.range(0, PARTITIONS),
                        k -> new Object[]{ k });
        }
    }

    /** The first round, of which the engine tables get the sstables, and keep them beside the engine. */
    void writeBeside(Node node) throws IOException
    {
        write(node, "stock", 1);
        node.flush(keyspace, "stock", "stock_counts");
        for (String table : List.of("", "_counts"))
        {
            Path copy = Folders.fresh(node, "import/beside" + table);
            try (Stream<Path> files = Files.list(folder(node, "stock" + table)))
            {
                for (Path file : files.filter(Files::isRegularFile).toList())
                    Files.copy(file, copy.resolve(file.getFileName()));
            }
            node.direct(keyspace, "engine" + table, "hold");
            node.nodetool("import", keyspace, "engine" + table, copy.toString()).success();
        }
    }

    Path folder(Node node, String table) throws IOException
    {
        try (Stream<Path> tables = Files.list(node.base().resolve("data").resolve(keyspace)))
        {
            return tables.filter(path -> path.getFileName().toString().startsWith(table + '-')).findFirst().orElseThrow();
        }
    }

    /** @return all rows, which are the same in both homes */
    List<String> rows(Node node)
    {
        try (Cql cql = node.cql(keyspace))
        {
            List<String> stock = rows(cql, "stock");
            assertEquals(String.join("\n", stock), String.join("\n", rows(cql, "engine")));
            return stock;
        }
    }

    List<String> rows(Node node, String home)
    {
        try (Cql cql = node.cql(keyspace))
        {
            return rows(cql, home);
        }
    }

    private static List<String> rows(Cql cql, String home)
    {
        List<String> rows = new ArrayList<>(cql.texts("SELECT k, c, s, v, n, m, writetime(s), writetime(v), writetime(n) FROM " + home));
        rows.addAll(cql.texts("SELECT * FROM " + home + "_counts"));
        assertTrue(rows.size() > PARTITIONS * ROWS, rows::toString);
        return rows;
    }
}
