/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.model;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import com.datastax.oss.driver.api.core.DriverException;
import org.junit.jupiter.api.Test;

import io.cassiterite.nodetest.Checkout;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** D3: TRUNCATE empties a table with and without automatic snapshots, and what was truncated stays away after a crash. */
class TruncateSurvivesRestartTest
{
    private static Node start(boolean autoSnapshot)
    {
        return Node.named("d3").keep().yaml("auto_snapshot", Boolean.toString(autoSnapshot)).start();
    }

    private static void fill(Cql cql, String table)
    {
        cql.run("CREATE TABLE d3." + table + " (p int PRIMARY KEY, v int) WITH memtable = 'cassiterite'");
        for (int p = 0; p < 50; p++)
            cql.run("INSERT INTO d3." + table + " (p, v) VALUES (" + p + ", 1)");
    }

    private static void truncate(Node node, Cql cql, String table)
    {
        fill(cql, table);
        TableMaintenance.flush(node, "d3");
        for (int p = 50; p < 60; p++)
            cql.run("INSERT INTO d3." + table + " (p, v) VALUES (" + p + ", 1)");
        cql.run("TRUNCATE d3." + table);
        assertEquals(List.of(), cql.texts("SELECT * FROM d3." + table));
        cql.run("INSERT INTO d3." + table + " (p, v) VALUES (7, 7)");
        assertEquals(List.of("p=7, v=7"), cql.texts("SELECT * FROM d3." + table));
    }

    private static String snapshots(Node node)
    {
        return node.nodetool("listsnapshots").success();
    }

    @Test
    void truncateEmptiesTheTable()
    {
        Checkout.delete(Checkout.nodes().resolve("d3"));
        try (Node node = start(false); Cql cql = node.cql())
        {
            cql.freshKeyspace("d3");
            truncate(node, cql, "unsaved");
            assertFalse(snapshots(node).contains("truncated-"));
            node.killNine();
        }
        try (Node node = start(true); Cql cql = node.cql())
        {
            assertEquals(List.of("p=7, v=7"), cql.texts("SELECT * FROM d3.unsaved"));
            truncate(node, cql, "saved");
            assertTrue(snapshots(node).contains("truncated-"));
            node.killNine();
        }
        try (Node node = start(true); Cql cql = node.cql())
        {
            assertEquals(List.of("p=7, v=7"), cql.texts("SELECT * FROM d3.unsaved"));
            assertEquals(List.of("p=7, v=7"), cql.texts("SELECT * FROM d3.saved"));
        }
    }

    @Test
    void truncateThatCannotSaveTheRowsKeepsThem() throws IOException
    {
        Checkout.delete(Checkout.nodes().resolve("d3"));
        try (Node node = start(true); Cql cql = node.cql())
        {
            cql.freshKeyspace("d3");
            fill(cql, "kept");
            Path table;
            try (Stream<Path> tables = Files.list(node.base().resolve("data/d3")))
            {
                table = tables.filter(path -> path.getFileName().toString().startsWith("kept-")).findFirst().orElseThrow();
            }
            Path inTheWay = Files.createFile(table.resolve("snapshots"));
            assertThrows(DriverException.class, () -> cql.run("TRUNCATE d3.kept"));
            Files.delete(inTheWay);
            node.killNine();
        }
        try (Node node = start(true); Cql cql = node.cql())
        {
            assertEquals(50, cql.rows("SELECT * FROM d3.kept").size());
            cql.run("TRUNCATE d3.kept");
            assertEquals(List.of(), cql.texts("SELECT * FROM d3.kept"));
            assertTrue(snapshots(node).contains("truncated-"));
            assertFalse(snapshots(node).contains("truncating-"));
        }
    }
}
