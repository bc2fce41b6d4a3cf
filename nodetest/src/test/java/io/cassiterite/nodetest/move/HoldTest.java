/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.move;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.cassiterite.nodetest.Checkout;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.index.Indexes;

import static io.cassiterite.nodetest.move.EnteringNode.KEY;
import static io.cassiterite.nodetest.move.EnteringNode.MARKER;
import static io.cassiterite.nodetest.move.EnteringNode.assertRefused;
import static io.cassiterite.nodetest.move.EnteringNode.engine;
import static io.cassiterite.nodetest.move.EnteringNode.files;
import static io.cassiterite.nodetest.move.EnteringNode.stock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A node maps the memtable key of filled tables to the engine: both homes are read, and a start that would lack rows is
 * refused. Dangers M8 and M9.
 */
@Timeout(900)
class HoldTest
{
    @Test
    void bothHomesAreReadAndNeitherIsLost() throws IOException
    {
        String name = "hold";
        FilledTables tables;
        try (Node stock = stock(name).start(); Cql cql = stock.cql())
        {
            cql.freshKeyspace(FilledTables.KEYSPACE);
            cql.run("USE " + FilledTables.KEYSPACE);
            tables = FilledTables.create(cql, KEY, 1);
            tables.write(120);
            stock.flush(FilledTables.KEYSPACE);
            tables.write(60);
            tables.changeColumns();
            stock.flush(FilledTables.KEYSPACE);
            tables.write(60);
            tables.same();
            stock.killNine();
        }
        try (Node held = engine(name).keep().start(); Cql cql = held.cql(FilledTables.KEYSPACE))
        {
            tables = FilledTables.again(tables, cql);
            tables.same();
            held.nodetool("snapshot", "-t", "fresh", FilledTables.KEYSPACE).success(); // the engine has nothing yet
            held.log().await("filled.wide_engine: \\d+ sstables \\(.*\\) lie beside the engine, which takes the writes: hold",
                             Duration.ofSeconds(60));
            tables.write(60);
            tables.same();
            assertEquals(List.of("direction='hold'"),
                         cql.texts("SELECT direction FROM cassiterite.moves WHERE keyspace_name = 'filled'"
                                   + " AND table_name = 'wide_engine'"));
            assertEquals(5, files(held, MARKER).size());
            held.compact(FilledTables.KEYSPACE);
            tables.same();
            assertIndexed(cql);
            assertSnapshotsHaveBoth(held);
            held.killNine();
        }
        try (Node held = engine(name).keep().start(); Cql cql = held.cql(FilledTables.KEYSPACE))
        {
            tables = FilledTables.again(tables, cql);
            tables.same();
            tables.write(40);
            tables.changeColumns();
            tables.same();
            held.stop();
        }
        assertRefused(stock(name).keep(), "filled.wide_engine", "filled.counted_engine", "now maps to TrieMemtable");
        Checkout.delete(Checkout.nodes().resolve(name));
    }

    /** An index of a held table knows the rows of both homes. */
    private static void assertIndexed(Cql cql)
    {
        cql.run("CREATE INDEX by_w ON changed_engine (w)");
        Indexes.awaitBuilt(cql, FilledTables.KEYSPACE, "by_w");
        List<String> expected = cql.texts("SELECT k, c FROM changed_stock WHERE w < 50 ALLOW FILTERING");
        assertFalse(expected.isEmpty());
        assertEquals(sorted(expected), sorted(cql.texts("SELECT k, c FROM changed_engine WHERE w < 50")));
    }

    private static List<String> sorted(List<String> rows)
    {
        return rows.stream().sorted().collect(Collectors.toList());
    }

    private static void assertSnapshotsHaveBoth(Node node) throws IOException
    {
        node.nodetool("snapshot", "-t", "both", FilledTables.KEYSPACE).success();
        List<Path> lists = files(node, "manifest.json").stream().filter(file -> file.toString().matches(".*/wide_engine-.*/both/.*"))
                                                         .collect(Collectors.toList());
        assertEquals(1, lists.size());
        String list = Files.readString(lists.get(0));
        assertTrue(list.contains("-Data.db") && list.contains(".sst"), list);
    }

    @Test
    void aFolderThatDoesNotBelongToTheStoreIsRefused() throws IOException
    {
        String name = "replacedfolder";
        try (Node stock = stock(name).start(); Cql cql = stock.cql())
        {
            cql.freshKeyspace(FilledTables.KEYSPACE);
            cql.run("USE " + FilledTables.KEYSPACE);
            cql.run("CREATE TABLE t (k int PRIMARY KEY) WITH memtable = '" + KEY + "'");
            cql.run("INSERT INTO t (k) VALUES (1)");
            stock.stop();
        }
        try (Node held = engine(name).keep().start(); Cql cql = held.cql(FilledTables.KEYSPACE))
        {
            cql.run("INSERT INTO t (k) VALUES (2)");
            held.stop();
        }
        try (Node again = engine(name).keep().build())
        {
            Files.delete(files(again, MARKER).get(0));
        }
        assertRefused(engine(name).keep(), "the store has rows of filled.t, but its folder", "-Dcassiterite.unite=filled.t",
                      "-Dcassiterite.set_aside=filled.t");
        try (Node united = engine(name).keep().jvm("-Dcassiterite.unite=filled.t").start(); Cql cql = united.cql())
        {
            assertEquals(2, cql.rows("SELECT * FROM filled.t").size());
            united.stop();
            Files.delete(files(united, MARKER).get(0));
        }
        try (Node again = engine(name).keep().jvm("-Dcassiterite.set_aside=filled.other,filled.t").start(); Cql cql = again.cql())
        {
            assertEquals(List.of("k=1"), cql.texts("SELECT * FROM filled.t"));
            assertTrue(again.nodetool("listsnapshots").success().contains("found"));
            again.stop();
        }
        // the property may stay: the folder is the store's now
        try (Node again = engine(name).keep().jvm("-Dcassiterite.set_aside=filled.t").start(); Cql cql = again.cql())
        {
            cql.run("INSERT INTO filled.t (k) VALUES (3)");
            again.killNine();
        }
        try (Node again = engine(name).keep().jvm("-Dcassiterite.set_aside=filled.t").start(); Cql cql = again.cql())
        {
            assertEquals(2, cql.rows("SELECT * FROM filled.t").size());
        }
        Checkout.delete(Checkout.nodes().resolve(name));
    }

    @Test
    void whatTheEngineLacksIsRefusedBeforeTheFirstWrite()
    {
        String name = "obstacles";
        try (Node stock = stock(name).start(); Cql cql = stock.cql())
        {
            cql.freshKeyspace(FilledTables.KEYSPACE);
            cql.run("USE " + FilledTables.KEYSPACE);
            for (String table : new String[]{ "indexed", "sai", "viewed", "free" })
                cql.run("CREATE TABLE " + table + " (k int PRIMARY KEY, v int) WITH memtable = '" + KEY + "'");
            cql.run("CREATE TABLE logged (k int PRIMARY KEY) WITH cdc = true AND memtable = '" + KEY + "'");
            cql.run("CREATE TABLE repaired (k int PRIMARY KEY) WITH memtable = '" + KEY + "' AND compaction ="
                    + " {'class': 'SizeTieredCompactionStrategy', 'only_purge_repaired_tombstones': 'true'}");
            cql.run("CREATE INDEX by_v ON indexed (v)");
            cql.run("CREATE INDEX sai_by_v ON sai (v) USING 'sai'");
            cql.run("CREATE MATERIALIZED VIEW view_of AS SELECT * FROM viewed WHERE v IS NOT NULL AND k IS NOT NULL PRIMARY KEY (v, k)");
            cql.run("INSERT INTO indexed (k, v) VALUES (1, 1)");
            stock.stop();
        }
        assertRefused(engine(name).keep(), "filled.indexed would enter", "the index by_v", "the index sai_by_v",
                      "the materialized view view_of", "filled.logged has cdc enabled", "only_purge_repaired_tombstones");
        try (Node stock = stock(name).keep().start(); Cql cql = stock.cql(FilledTables.KEYSPACE))
        {
            assertEquals(List.of("k=1, v=1"), cql.texts("SELECT * FROM indexed WHERE v = 1"));
        }
        Checkout.delete(Checkout.nodes().resolve(name));
    }
}
