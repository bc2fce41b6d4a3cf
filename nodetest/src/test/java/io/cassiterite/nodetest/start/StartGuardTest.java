/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.start;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.datastax.oss.driver.api.core.cql.Row;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** D4: a node that would open an engine table without its engine, and so without its rows, does not start. */
class StartGuardTest
{
    private static final String STOCK = "\n  configurations:\n    skiplist:\n      class_name: SkipListMemtable\n" +
                                        "    default:\n      inherits: skiplist\n";
    private static final String NAME = "startguard";

    private Node node;

    @BeforeEach
    void aNodeWithAnEngineTable()
    {
        node = named().start();
        try (Cql cql = node.cql())
        {
            cql.freshKeyspace("guarded");
        }
        try (Cql cql = node.cql("guarded"))
        {
            cql.run("CREATE TABLE t (k int PRIMARY KEY, v text) WITH memtable = 'cassiterite'");
            cql.run("INSERT INTO t (k, v) VALUES (1, 'x')");
        }
        node.stop();
    }

    @AfterEach
    void end()
    {
        node.close();
    }

    @Test
    void nothingButTheWholeEngineOpensTheTable() throws IOException
    {
        assertRefused(named().keep().yaml("memtable", STOCK), "guarded.t uses the memtable configuration 'cassiterite'");
        assertRefused(named().keep().yaml("memtable", STOCK + "    cassiterite:\n      inherits: skiplist\n"),
                      "now maps to SkipListMemtable");

        Path store = node.base().resolve("cassiterite");
        Path away = node.base().resolve("elsewhere");
        Files.move(store, away);
        assertRefused(named().keep(), "holds no store");
        Files.move(away, store);

        try (Node again = named().keep().jvm("-Dcassiterite.default_memtable=cassiterite").start(); Cql cql = again.cql("guarded"))
        {
            assertEquals(List.of("k=1, v='x'"), cql.texts("SELECT * FROM t"));
            newTablesGetTheDefaultMemtable(cql);
            again.log().await("Cassiterite \\S+ \\(RocksDB \\S+\\) opened \\S+, memory budget: ", Duration.ofSeconds(60));
        }
    }

    @Test
    void aLostStoreIsGivenUpByDeletingItsMarkers() throws IOException
    {
        Files.move(node.base().resolve("cassiterite"), node.base().resolve("lost"));
        assertRefused(named().keep(), "lost for good: delete cassiterite.marker");
        List<Path> markers;
        try (Stream<Path> files = Files.walk(node.base()))
        {
            markers = files.filter(file -> file.endsWith("cassiterite.marker")).collect(Collectors.toList());
        }
        assertEquals(1, markers.size(), "of the one table");
        Files.delete(markers.get(0));
        try (Node again = named().keep().start(); Cql cql = again.cql("guarded"))
        {
            assertEquals(List.of(), cql.texts("SELECT * FROM t"));
            cql.run("INSERT INTO t (k, v) VALUES (2, 'new')");
            assertEquals(List.of("k=2, v='new'"), cql.texts("SELECT * FROM t"));
        }
    }

    @Test
    void aStoreThatIsOlderThanATableIsRefused() throws IOException
    {
        Path store = node.base().resolve("cassiterite");
        Path newer = node.base().resolve("newer");
        Path older = node.base().resolve("older");
        copy(store, older);
        try (Node again = named().keep().start(); Cql cql = again.cql("guarded"))
        {
            cql.run("CREATE TABLE later (k int PRIMARY KEY) WITH memtable = 'cassiterite'");
            cql.run("INSERT INTO later (k) VALUES (1)");
            cql.run("CREATE TABLE later_too (k int PRIMARY KEY) WITH memtable = 'cassiterite'");
        }
        Files.move(store, newer);
        Files.move(older, store);
        assertRefused(named().keep(), "does not know these tables, though it once had them: guarded.later (", "), guarded.later_too (");
        try (Stream<Path> files = Files.walk(node.base().resolve("data/guarded")))
        {
            for (Path marker : files.filter(file -> file.endsWith("cassiterite.marker") && file.toString().contains("/later"))
                                    .collect(Collectors.toList()))
                Files.delete(marker);
        }
        try (Node again = named().keep().start(); Cql cql = again.cql("guarded"))
        {
            assertEquals(List.of("k=1, v='x'"), cql.texts("SELECT * FROM t"));
            assertEquals(List.of(), cql.texts("SELECT * FROM later"));
        }
    }

    private static void copy(Path from, Path to) throws IOException
    {
        try (Stream<Path> paths = Files.walk(from))
        {
            for (Path path : paths.collect(Collectors.toList()))
                Files.copy(path, to.resolve(from.relativize(path).toString()));
        }
    }

    private static void newTablesGetTheDefaultMemtable(Cql cql)
    {
        cql.run("CREATE TABLE silent (k int PRIMARY KEY)");
        cql.run("CREATE TABLE explicit (k int PRIMARY KEY) WITH memtable = 'skiplist'");
        String memtable = "SELECT memtable FROM system_schema.tables WHERE keyspace_name = 'guarded' AND table_name = ?";
        assertEquals(List.of("memtable='cassiterite'"), cql.texts(memtable, "silent"));
        assertEquals(List.of("memtable='skiplist'"), cql.texts(memtable, "explicit"));
        for (Row table : cql.rows("SELECT keyspace_name, table_name, memtable FROM system_schema.tables"))
            if (table.getString("keyspace_name").startsWith("system"))
                assertNotEquals("cassiterite", table.getString("memtable"), table.getString("table_name"));
    }

    private static NodeBuilder named()
    {
        return Node.named(NAME).heap("512m");
    }

    private static void assertRefused(NodeBuilder builder, String reason)
    {
        assertRefused(builder, reason, "this node must not start");
    }

    private static void assertRefused(NodeBuilder builder, String reason, String preface)
    {
        try (Node refused = builder.build())
        {
            String output = refused.startRefused();
            assertTrue(output.contains(preface) && output.contains(reason), output);
        }
    }
}
