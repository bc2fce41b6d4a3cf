/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.move;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.cassiterite.nodetest.Await;
import io.cassiterite.nodetest.Checkout;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;
import io.cassiterite.nodetest.Pause;
import io.cassiterite.nodetest.SstableLoader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** An export is one view of a table, from both of its homes, that a stock node reads. */
@Timeout(1200)
class ExportTest
{
    private static final Duration BOUND = Duration.ofMinutes(2);
    private static final String KEYSPACE = FilledTables.KEYSPACE;
    private static final int BULK_BYTES = 4_000;

    private static NodeBuilder engine(String name)
    {
        return Node.named(name).heap("512m").yaml("auto_snapshot", "false").jvm("-Dcassiterite.export_sstable_bytes=5000");
    }

    private static void freshKeyspace(Cql cql)
    {
        cql.freshKeyspace(KEYSPACE);
        cql.run("USE " + KEYSPACE);
    }

    private static Path freshFolder(String name) throws IOException
    {
        Path folder = Checkout.nodes().resolve(name);
        Checkout.delete(folder);
        Checkout.delete(folder.resolveSibling(name + ".partial"));
        return Files.createDirectories(folder.getParent()).resolve(name);
    }

    private static Path files(Path folder, String table)
    {
        return folder.resolve(KEYSPACE).resolve(table);
    }

    private static void begin(Node node, String table, Path folder)
    {
        node.move(KEYSPACE, table, "export", folder.toString()).success();
    }

    private static void awaitState(Cql cql, String table, String state)
    {
        Await.until(table + " is " + state, BOUND, () -> state.equals(state(cql, table)));
    }

    /** Of the latest export of a table. */
    private static String state(Cql cql, String table)
    {
        return exports(cql, table).get(0);
    }

    private static List<String> exports(Cql cql, String table)
    {
        return cql.localRows("SELECT table_name, state_text, error_text FROM cassiterite.exports").stream()
                  .filter(row -> table.equals(row.getString(0))).map(row -> row.getString(1)).collect(Collectors.toList());
    }

    private static Map<String, String> queries()
    {
        Map<String, String> queries = new LinkedHashMap<>();
        queries.put("wide", "SELECT k, c, s, sm, v, l, m, t, writetime(v), writetime(s) FROM ");
        queries.put("purged", "SELECT k, c, s, sm, v, l, m, t, writetime(v), writetime(s) FROM ");
        queries.put("counted", "SELECT k, c, n, s FROM ");
        queries.put("single", "SELECT k, v, w, writetime(v) FROM ");
        queries.put("changed", "SELECT k, c, u, w, writetime(u), writetime(w) FROM ");
        return queries;
    }

    /** Of some tables half of the rows are in sstables beside the engine. */
    private static FilledTables fill(Node node, Cql cql)
    {
        FilledTables tables = FilledTables.create(cql, "cassiterite", 31);
        tables.write(150);
        tables.changeColumns();
        tables.write(40);
        node.flush(KEYSPACE);
        for (String table : List.of("wide_engine", "counted_engine", "changed_engine"))
        {
            cql.run("TRUNCATE " + table);
            node.direct(KEYSPACE, table, "hold");
            Path copies = SstableLoader.copies(node, KEYSPACE, table.replace("_engine", "_stock"));
            SstableLoader.load(node, copies, KEYSPACE, table).success();
        }
        tables.write(60);
        tables.same();
        return tables;
    }

    @Test
    void aStockNodeAnswersAsTheEngineDid() throws IOException
    {
        Map<String, Path> folders = new LinkedHashMap<>();
        Map<String, List<String>> expected = new LinkedHashMap<>();
        Map<String, String> described = new LinkedHashMap<>();
        try (Node node = engine("exported").start(); Cql cql = node.cql())
        {
            freshKeyspace(cql);
            FilledTables tables = fill(node, cql);
            for (String name : queries().keySet())
            {
                String table = name + "_engine";
                folders.put(name, freshFolder("export-" + name));
                if (name.equals("single"))
                    Files.createDirectory(folders.get(name));
                begin(node, table, folders.get(name));
                awaitState(cql, table, "DONE");
                expected.put(name, cql.exact(queries().get(name) + table));
                described.put(name, cql.rows("DESCRIBE TABLE " + name + "_stock").get(0).getString("create_statement"));
            }
            assertTrue(SstableLoader.sizes(files(folders.get("wide"), "wide_engine")).size() > 1, "sstables of a bounded size");
            tables.same();
            assertEquals(List.of(), node.log().errors());
            node.stop();
        }
        try (Node stock = Node.named("importing").stock().yaml("memtable", "\n  configurations:\n    trie:\n      class_name: TrieMemtable")
                              .start();
             Cql cql = stock.cql())
        {
            freshKeyspace(cql);
            for (String name : queries().keySet())
            {
                cql.run(described.get(name));
                Path files = files(folders.get(name), name + "_engine");
                stock.nodetool("import", "--copy-data", KEYSPACE, name + "_stock", files.toString()).success();
                assertFalse(expected.get(name).isEmpty());
                assertEquals(expected.get(name), cql.exact(queries().get(name) + name + "_stock"), name);
            }
        }
        for (Path folder : folders.values())
            Checkout.delete(folder);
        Checkout.delete(Checkout.nodes().resolve("importing"));
    }

    private static void fillBulk(Cql cql, int rows)
    {
        Random random = new Random(1);
        cql.run("CREATE TABLE bulk (k int PRIMARY KEY, v blob) WITH memtable = 'cassiterite'");
        for (int k = 0; k < rows; k++)
        {
            byte[] value = new byte[BULK_BYTES];
            random.nextBytes(value);
            cql.run("INSERT INTO bulk (k, v) VALUES (?, ?)", k, ByteBuffer.wrap(value));
        }
    }

    /** What one thread has written, up to a moment: no row lacks that came before another. */
    @Test
    void anExportUnderWritesIsOneMoment() throws IOException
    {
        try (Node node = engine("exportedlive").start(); Cql cql = node.cql())
        {
            freshKeyspace(cql);
            cql.run("CREATE TABLE t (k int PRIMARY KEY, v text) WITH memtable = 'cassiterite'");
            cql.run("CREATE TABLE source (k int PRIMARY KEY, v text) WITH memtable = 'trie'");
            cql.run("CREATE TABLE copied (k int PRIMARY KEY, v text) WITH memtable = 'trie'");
            for (int k = -1; k >= -500; k--)
                cql.run("INSERT INTO source (k, v) VALUES (?, ?)", k, "x".repeat(300));
            node.flush(KEYSPACE, "source");
            node.direct(KEYSPACE, "t", "hold");
            SstableLoader.load(node, SstableLoader.copies(node, KEYSPACE, "source"), KEYSPACE, "t").success();
            AtomicBoolean over = new AtomicBoolean();
            CompletableFuture<Integer> writer = CompletableFuture.supplyAsync(() -> {
                int k = 0;
                for (; !over.get(); k++)
                    cql.run("INSERT INTO t (k, v) VALUES (?, ?)", k, "live");
                return k;
            });
            node.direct(KEYSPACE, "t", "in");
            for (int round = 0; round < 4; round++)
            {
                Path folder = freshFolder("export-live");
                Pause.millis(700L * round);
                begin(node, "t", folder);
                awaitState(cql, "t", "DONE");
                cql.run("TRUNCATE copied");
                node.nodetool("import", KEYSPACE, "copied", files(folder, "t").toString()).success();
                List<Integer> keys = cql.rows("SELECT k FROM copied").stream().map(row -> row.getInt(0)).sorted()
                                        .collect(Collectors.toList());
                assertTrue(keys.size() >= 500, "the sstables of before");
                assertEquals(IntStream.range(-500, keys.size() - 500).boxed().collect(Collectors.toList()), keys, "round " + round);
                assertTrue(round < 2 || keys.size() > 500, "nothing was written meanwhile");
                Checkout.delete(folder);
            }
            over.set(true);
            assertTrue(writer.join() > 0);
        }
    }

    @Test
    void whatCannotBeExportedIsRefusedWithTheReason() throws IOException
    {
        try (Node node = engine("refusedexport").start(); Cql cql = node.cql())
        {
            freshKeyspace(cql);
            fillBulk(cql, 10);
            Path full = Files.createDirectories(freshFolder("export-full"));
            Path file = Files.writeString(full.resolve("file"), "x");
            refused(node, "is there, and is no empty folder", "bulk", full.toString());
            refused(node, "is there, and is no empty folder", "bulk", file.toString());
            refused(node, "no absolute path", "bulk", "export");
            refused(node, "make it first", "bulk", full.resolve("none/export").toString());
            refused(node, "lies in a folder of the node", "bulk", node.base().resolve("data/export").toString());
            refused(node, "lies in a folder of the node", "bulk",
                    SstableLoader.folder(node, KEYSPACE, "bulk").resolve("export").toString());
            Files.createDirectory(full.resolve("killed.partial"));
            refused(node, "of an export that did not end: delete it", "bulk", full.resolve("killed").toString());
            refused(node, "there is no table", "none", full.resolve("none").toString());
            assertEquals(List.of(), exports(cql, "bulk"));
            Checkout.delete(full);
        }
    }

    private static void refused(Node node, String reason, String table, String folder)
    {
        String text = node.move(KEYSPACE, table, "export", folder).text();
        assertTrue(text.lines().anyMatch(line -> line.matches("not done: .*(" + reason + ").*")), text);
    }

    private static void awaitSome(Path partial)
    {
        Path files = files(partial, "bulk");
        Await.until("some is written", BOUND, () -> Files.exists(files) && SstableLoader.sizes(files).size() > 20);
    }

    /** What there is of it has another name, and the next export says so. */
    @Test
    void anExportThatDoesNotEndIsNotTakenForOne() throws IOException
    {
        Path folder = freshFolder("export-half");
        Path partial = folder.resolveSibling("export-half.partial");
        try (Node node = engine("halfexport").start(); Cql cql = node.cql())
        {
            freshKeyspace(cql);
            fillBulk(cql, 3_000);
            node.nodetool("setcompactionthroughput", "1").success();
            begin(node, "bulk", folder);
            awaitState(cql, "bulk", "RUNS");
            refused(node, "an export of this table, or to this folder, waits or runs", "bulk", folder + "-other");
            Await.until("it shows", BOUND, () -> node.nodetool("compactionstats").success().contains("Validation"));
            node.nodetool("stop", "VALIDATION").success();
            awaitState(cql, "bulk", "STOPPED");
            assertFalse(Files.exists(partial) || Files.exists(folder));

            begin(node, "bulk", folder);
            awaitSome(partial);
            node.killNine();
            assertFalse(Files.exists(folder));
            assertNotEquals(List.of(), SstableLoader.sizes(files(partial, "bulk")));
            node.start();
            refused(node, "of an export that did not end: delete it", "bulk", folder.toString());
            Checkout.delete(partial);
            try (Cql again = node.cql(KEYSPACE))
            {
                node.nodetool("setcompactionthroughput", "1").success();
                begin(node, "bulk", folder);
                awaitSome(partial);
                again.run("TRUNCATE bulk");
                awaitState(again, "bulk", "STOPPED");
                assertFalse(Files.exists(partial) || Files.exists(folder));
                begin(node, "bulk", folder);
                awaitState(again, "bulk", "DONE");
                assertTrue(Files.exists(folder));
            }
            node.stop();
        }
        withoutSpace(folder);
    }

    private static void withoutSpace(Path folder)
    {
        Checkout.delete(folder);
        try (Node node = engine("halfexport").keep().jvm("-Dcassiterite.export_free_bytes=" + (Long.MAX_VALUE >> 1)).start();
             Cql cql = node.cql(KEYSPACE))
        {
            begin(node, "bulk", folder);
            awaitState(cql, "bulk", "FAILED");
            assertTrue(node.move("status").success().contains("no space: "));
            assertFalse(Files.exists(folder) || Files.exists(folder.resolveSibling("export-half.partial")));
        }
        Checkout.delete(Checkout.nodes().resolve("halfexport"));
    }
}
