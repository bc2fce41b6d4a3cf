/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.nodetool;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.cassiterite.nodetest.Await;
import io.cassiterite.nodetest.Checkout;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.EngineFigures;
import io.cassiterite.nodetest.Jmx;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeTest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The golden table says of each metric of a table what it is of an engine table, and of the true ones how to see that:
 * positive, zero, equal to a figure of the engine or near it, or equal to the metric of a stock table, the twin, that got the
 * same statements.
 */
@Tag("surface")
@NodeTest
class GoldenMetricsTest
{
    private static final String KEYSPACE = "goldenmetricstest";
    private static final String ENGINE = "e";
    private static final String TWIN = "s";
    private static final int PARTITIONS = 100;
    private static final int ROW_BYTES = 2000;
    private static final Duration FOLLOWS_WITHIN = Duration.ofMinutes(2);

    private final Node node;
    private final Cql cql;

    GoldenMetricsTest(Node node, Cql cql)
    {
        this.node = node;
        this.cql = cql;
    }

    @BeforeAll
    static void work(Cql cql, Node node)
    {
        cql.run("CREATE TABLE e (k int, c int, v blob, PRIMARY KEY (k, c)) WITH memtable = 'cassiterite'");
        cql.run("CREATE TABLE s (k int, c int, v blob, PRIMARY KEY (k, c))");
        for (String table : List.of(ENGINE, TWIN))
        {
            write(cql, table);
            node.nodetool("flush", KEYSPACE, table).success();
            write(cql, table);
            for (int k = 0; k < PARTITIONS; k += 3)
                cql.run("DELETE FROM " + table + " WHERE k = ? AND c = 1", k);
            for (int k = 0; k < PARTITIONS; k++)
                assertEquals(k % 3 == 0 ? 1 : 2, cql.rows("SELECT * FROM " + table + " WHERE k = ?", k).size());
            assertEquals(2 * PARTITIONS - (PARTITIONS + 2) / 3, cql.rows("SELECT * FROM " + table).size());
            cql.run("INSERT INTO " + table + " (k, c) VALUES (0, 7) IF NOT EXISTS");
            node.nodetool("flush", KEYSPACE, table).success();
            node.nodetool("snapshot", "-t", "golden", "-kt", KEYSPACE + '.' + table).success();
            node.nodetool("compact", KEYSPACE, table).success();
            cql.run("INSERT INTO " + table + " (k, c) VALUES (0, 8)");
        }
    }

    private static void write(Cql cql, String table)
    {
        byte[] value = new byte[ROW_BYTES];
        Random random = new Random(7);
        for (int k = 0; k < PARTITIONS; k++)
            for (int c = 0; c < 2; c++)
            {
                random.nextBytes(value);
                cql.run("INSERT INTO " + table + " (k, c, v) VALUES (?, ?, ?)", k, c, ByteBuffer.wrap(value.clone()));
            }
    }

    /** By name, how it is checked. */
    private static Map<String, String> golden() throws IOException
    {
        Map<String, String> checks = new LinkedHashMap<>();
        for (String line : Files.readAllLines(Checkout.root().resolve("plugin/src/test/resources/table-metrics.tsv")))
        {
            String[] row = line.split("\t");
            for (String name : row[0].split(", "))
                checks.put(name, row[4]);
        }
        checks.remove("-");
        return checks;
    }

    @Test
    void everyMetricOfATableIsInTheGoldenTable() throws IOException
    {
        try (Jmx jmx = node.jmx())
        {
            Set<String> found = jmx.names(bean(ENGINE, "*")).stream()
                                   .map(bean -> bean.getKeyProperty("name"))
                                   .filter(name -> !name.startsWith("cassiterite_") && !name.endsWith("TotalLatency"))
                                   .collect(Collectors.toCollection(TreeSet::new));
            assertEquals(new TreeSet<>(golden().keySet()), found);
        }
    }

    @Test
    void whatIsCalledTrueIsSo() throws IOException
    {
        Map<String, String> checks = golden();
        Await.untilAsserted(FOLLOWS_WITHIN, () -> assertEquals("", String.join("\n", wrong(checks))));
    }

    private List<String> wrong(Map<String, String> checks)
    {
        List<String> wrong = new ArrayList<>();
        try (Jmx jmx = node.jmx())
        {
            checks.forEach((name, check) ->
            {
                String[] words = check.split(" ");
                double found = value(jmx, ENGINE, name);
                double expected = words[0].equals("twin") ? value(jmx, TWIN, name) : words.length == 2 ? figure(ENGINE, words[1]) : 0;
                if (!isRight(words[0], found, expected))
                    wrong.add(name + " is " + found + ", expected: " + check + ' ' + expected);
            });
        }
        return wrong;
    }

    @Test
    void figuresToAlertOnAreMetricsToo()
    {
        String table = "watched";
        cql.run("CREATE TABLE watched (k int PRIMARY KEY) WITH memtable = 'cassiterite'");
        node.nodetool("disableautocompaction", KEYSPACE, table).success();
        cql.run("INSERT INTO watched (k) VALUES (1)");
        node.nodetool("flush", KEYSPACE, table).success();
        try (Jmx jmx = node.jmx())
        {
            Await.until("a file of level 0", FOLLOWS_WITHIN,
                        () -> value(jmx, table, "cassiterite_level0_files") == 1);
            assertEquals(1, figure(table, "level0_files"));
            assertEquals(0, value(jmx, table, "cassiterite_automatic_compaction"));
            for (String none : List.of("cassiterite_merge_failures", "cassiterite_side_family_bytes"))
                assertEquals(0, value(jmx, table, none), none);
        }
    }

    private static boolean isRight(String check, double found, double expected)
    {
        switch (check)
        {
            case "-":
                return true;
            case "positive":
                return found > 0;
            case "zero":
            case "twin":
                return found == expected;
            case "figure":
                return found == expected && found > 0;
            case "near":
                return found >= expected / 2 && found <= expected * 2 && found > 0;
            default:
                throw new IllegalArgumentException(check);
        }
    }

    @Test
    void sizesOfPartitionsAreInTheirOrder()
    {
        try (Jmx jmx = node.jmx())
        {
            double least = value(jmx, ENGINE, "MinPartitionSize");
            double mean = value(jmx, ENGINE, "MeanPartitionSize");
            double most = value(jmx, ENGINE, "MaxPartitionSize");
            assertTrue(least > ROW_BYTES / 2 && least <= mean && mean <= most && most < 10 * ROW_BYTES, least + " " + mean + " " + most);
        }
    }

    /** What the metric counts; of a histogram the largest value; of a gauge of buckets their sum. */
    private static double value(Jmx jmx, String table, String name)
    {
        String bean = bean(table, "name=" + name);
        boolean isHistogram = name.startsWith("SSTablesPer");
        for (String attribute : isHistogram ? List.of("Max") : List.of("Value", "Count"))
        {
            Object found = jmx.attributeIfAny(bean, attribute);
            if (found instanceof long[])
                return Arrays.stream((long[]) found).sum();
            if (found != null)
                return ((Number) found).doubleValue();
        }
        throw new IllegalStateException(bean + " has no value");
    }

    private static String bean(String table, String last)
    {
        return "org.apache.cassandra.metrics:type=Table,keyspace=" + KEYSPACE + ",scope=" + table + ',' + last;
    }

    private long figure(String table, String name)
    {
        return EngineFigures.of(cql, KEYSPACE, table, name);
    }
}
