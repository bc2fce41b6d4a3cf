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

/** D3: TRUNCATE empties a table with and without automatic snapshots, and truncated rows do not come back after a crash. */
class TruncateSurvivesRestartTest
{
    private static Node start(boolean autoSnapshot)
    {
        return Node.named("emptied").keep().yaml("auto_snapshot", Boolean.toString(autoSnapshot)).start();
    }

    private static void fill(Cql cql, String table)
    {
        cql.run("CREATE TABLE emptied." + table + " (p int PRIMARY KEY, v int) WITH memtable = 'cassiterite'");
        for (int p = 0; p < 50; p++)
            cql.run("INSERT INTO emptied." + table + " (p, v) VALUES (" + p + ", 1)");
    }

    private static void truncate(Node node, Cql cql, String table)
    {
        fill(cql, table);
        node.flush("emptied");
        for (int p = 50; p < 60; p++)
            cql.run("INSERT INTO emptied." + table + " (p, v) VALUES (" + p + ", 1)");
        cql.run("TRUNCATE emptied." + table);
        assertEquals(List.of(), cql.texts("SELECT * FROM emptied." + table));
        cql.run("INSERT INTO emptied." + table + " (p, v) VALUES (7, 7)");
        assertEquals(List.of("p=7, v=7"), cql.texts("SELECT * FROM emptied." + table));
    }

    private static String snapshots(Node node)
    {
        return node.nodetool("listsnapshots").success();
    }

    @Test
    void truncateEmptiesTheTable()
    {
        Checkout.delete(Checkout.nodes().resolve("emptied"));
        try (Node node = start(false); Cql cql = node.cql())
        {
            cql.freshKeyspace("emptied");
            truncate(node, cql, "unsaved");
            assertFalse(snapshots(node).contains("truncated-"));
            node.killNine();
        }
        try (Node node = start(true); Cql cql = node.cql())
        {
            assertEquals(List.of("p=7, v=7"), cql.texts("SELECT * FROM emptied.unsaved"));
            truncate(node, cql, "saved");
            assertTrue(snapshots(node).contains("truncated-"));
            node.killNine();
        }
        try (Node node = start(true); Cql cql = node.cql())
        {
            assertEquals(List.of("p=7, v=7"), cql.texts("SELECT * FROM emptied.unsaved"));
            assertEquals(List.of("p=7, v=7"), cql.texts("SELECT * FROM emptied.saved"));
        }
    }

    @Test
    void truncateThatCannotSaveTheRowsRemovesNone() throws IOException
    {
        Checkout.delete(Checkout.nodes().resolve("emptied"));
        try (Node node = start(true); Cql cql = node.cql())
        {
            cql.freshKeyspace("emptied");
            fill(cql, "kept");
            Path table;
            try (Stream<Path> tables = Files.list(node.base().resolve("data/emptied")))
            {
                table = tables.filter(path -> path.getFileName().toString().startsWith("kept-")).findFirst().orElseThrow();
            }
            Path inTheWay = Files.createFile(table.resolve("snapshots"));
            assertThrows(DriverException.class, () -> cql.run("TRUNCATE emptied.kept"));
            Files.delete(inTheWay);
            node.killNine();
        }
        try (Node node = start(true); Cql cql = node.cql())
        {
            assertEquals(50, cql.rows("SELECT * FROM emptied.kept").size());
            cql.run("TRUNCATE emptied.kept");
            assertEquals(List.of(), cql.texts("SELECT * FROM emptied.kept"));
            assertTrue(snapshots(node).contains("truncated-"));
            assertFalse(snapshots(node).contains("truncating-"));
        }
    }
}
