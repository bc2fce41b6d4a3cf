/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.tools;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import com.datastax.oss.driver.api.core.cql.Row;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** DSBulk takes engine tables into files and back, and from a stock node to one with the engine. */
@Tag("tools")
class DsBulkTest
{
    private static final String KEYSPACE = "dsbulktest";
    private static final Program DSBULK = new Program("dsbulk", "com.datastax.oss.dsbulk.runner.DataStaxBulkLoader");
    private static final int TTL_SECONDS = 1_000_000;
    private static final int TTL_BOUND_SECONDS = 1_000;

    @BeforeAll
    static void tables()
    {
        TwoNodes.freshKeyspace(KEYSPACE);
        AllTypes.create(KEYSPACE, "original", "copy", "taken_over");
        AllTypes.fill(KEYSPACE, "original");
        for (Node node : TwoNodes.both())
            try (Cql cql = node.cql(KEYSPACE))
            {
                for (String table : List.of("stamped", "stamped_copy"))
                    cql.run("CREATE TABLE " + table + " (k int, c int, v text, w int, PRIMARY KEY (k, c))");
                for (int i = 0; i < 100; i++)
                {
                    cql.run("INSERT INTO stamped (k, c, v) VALUES (?, ?, ?) USING TIMESTAMP ? AND TTL " + TTL_SECONDS, i % 7, i, "v" + i,
                            1_000L + i);
                    cql.run("UPDATE stamped USING TIMESTAMP " + (2_000 + i) + " SET w = ? WHERE k = ? AND c = ?", i, i % 7, i);
                }
                for (String table : List.of("counted", "counted_copy"))
                    cql.run("CREATE TABLE " + table + " (k int, c text, n counter, m counter, PRIMARY KEY (k, c))");
                for (int i = 0; i < 100; i++)
                    cql.run("UPDATE counted SET n = n + ?, m = m - 1 WHERE k = ? AND c = ?", (long) i, i % 5, "c" + i % 11);
            }
    }

    private static Path unload(Node node, String table, String... options)
    {
        Path folder = Folders.fresh(node, "dsbulk-" + table);
        run(node, "unload", table, folder, options);
        return folder;
    }

    private static void run(Node node, String verb, String table, Path folder, String... options)
    {
        List<String> arguments = new ArrayList<>(List.of(verb, "-h", node.address(), "-port", Integer.toString(node.cqlAddress().getPort()),
                                                         "-k", KEYSPACE, "-t", table, "-url", folder.toString(), "-header", "true",
                                                         "-logDir", Folders.fresh(node, "dsbulk-logs").toString()));
        arguments.addAll(Arrays.asList(options));
        DSBULK.run(arguments).success();
    }

    @Test
    void unloadsAndLoadsAllTypes()
    {
        Path[] ofStock = new Path[1];
        TwoNodes.same(node -> {
            Path folder = unload(node, "original");
            if (node == TwoNodes.stock())
                ofStock[0] = folder;
            run(node, "load", "copy", folder);
            // DSBulk makes a frozen collection that is null an empty one
            return Stream.concat(Folders.sortedLines(folder).stream(), TwoNodes.rows(node, KEYSPACE + ".copy").stream()).toList();
        });
        run(TwoNodes.engine(), "load", "taken_over", ofStock[0]);
        TwoNodes.assertCopied(TwoNodes.engine(), KEYSPACE, "copy", "taken_over", 50);
    }

    @Test
    void keepsTimestampsAndTimesToLive()
    {
        List<String> rows = TwoNodes.same(node -> {
            Path folder = unload(node, "stamped", "-timestamp", "true", "-ttl", "true");
            run(node, "load", "stamped_copy", folder, "-timestamp", "true", "-ttl", "true");
            return stamps(node, "stamped", "stamped_copy");
        });
        assertEquals(100, rows.size());
    }

    private static List<String> stamps(Node node, String from, String to)
    {
        try (Cql cql = node.cql(KEYSPACE))
        {
            String columns = "SELECT k, c, WRITETIME(v) AS v, WRITETIME(w) AS w, TTL(v) AS v_ttl, TTL(w) AS w_ttl FROM ";
            List<Row> copied = cql.rows(columns + to);
            for (Row row : copied)
                assertTrue(row.getInt("v_ttl") > TTL_SECONDS - TTL_BOUND_SECONDS && row.isNull("w_ttl"), row.getFormattedContents());
            List<String> lines = copied.stream().map(DsBulkTest::stamps).toList();
            assertEquals(cql.rows(columns + from).stream().map(DsBulkTest::stamps).toList(), lines);
            return lines;
        }
    }

    private static String stamps(Row row)
    {
        return row.getInt("k") + " " + row.getInt("c") + " " + row.getLong("v") + " " + row.getLong("w");
    }

    @Test
    void unloadsAndLoadsCounters()
    {
        TwoNodes.same(node -> {
            Path folder = unload(node, "counted");
            run(node, "load", "counted_copy", folder);
            TwoNodes.assertCopied(node, KEYSPACE, "counted", "counted_copy", 50);
            return Folders.sortedLines(folder);
        });
    }
}
