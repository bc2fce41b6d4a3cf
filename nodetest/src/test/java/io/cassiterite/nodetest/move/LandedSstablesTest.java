/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.move;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.cassiterite.nodetest.Await;
import io.cassiterite.nodetest.Checkout;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;
import io.cassiterite.nodetest.Output;
import io.cassiterite.nodetest.Pause;
import io.cassiterite.nodetest.SstableLoader;
import io.cassiterite.nodetest.StreamHolds;
import io.cassiterite.nodetest.index.Indexes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Sstables that sstableloader streams land whole beside the engine, are read at once, and move in. */
@Timeout(1200)
class LandedSstablesTest
{
    private static final Duration BOUND = Duration.ofMinutes(2);
    private static final String KEYSPACE = FilledTables.KEYSPACE;
    private static final int TTL_S = 8;
    private static final String COLUMNS = " (k int PRIMARY KEY, v text, w int) WITH memtable = ";

    private static Node start(String name, boolean keep)
    {
        NodeBuilder node = StreamHolds.on(Node.named(name).heap("512m").yaml("auto_snapshot", "false"));
        return (keep ? node.keep() : node).start();
    }

    private static void freshKeyspace(Cql cql)
    {
        cql.freshKeyspace(KEYSPACE);
        cql.run("USE " + KEYSPACE);
    }

    private static void load(Node node, String from, String to)
    {
        node.flush(KEYSPACE, from);
        SstableLoader.load(node, SstableLoader.copies(node, KEYSPACE, from), KEYSPACE, to).success();
    }

    private static void hold(Node node, String table)
    {
        node.direct(KEYSPACE, table, "hold");
    }

    private static void awaitMoved(Node node)
    {
        node.awaitMovedIn(KEYSPACE, BOUND);
    }

    private static List<String> sorted(List<String> rows)
    {
        return rows.stream().sorted().collect(Collectors.toList());
    }

    /** The twins of tables that were emptied get their rows from the sstables of the others. */
    @Test
    void allKindsOfTablesAreLoaded()
    {
        FilledTables tables;
        try (Node node = start("landed", false); Cql cql = node.cql())
        {
            freshKeyspace(cql);
            tables = FilledTables.create(cql, "cassiterite", 21);
            cql.run("CREATE INDEX by_w ON changed_engine (w)");
            Indexes.awaitBuilt(cql, KEYSPACE, "by_w");
            for (int flush = 0; flush < 2; flush++) // of four sstables a compaction would make one meanwhile
            {
                tables.write(90);
                node.flush(KEYSPACE);
            }
            tables.changeColumns();
            tables.write(40);
            for (String table : FilledTables.moving())
            {
                cql.run("TRUNCATE " + table);
                hold(node, table);
                load(node, table.replace("_engine", "_stock"), table);
                assertEquals(SstableLoader.sizes(node, KEYSPACE, table.replace("_engine", "_stock")),
                             SstableLoader.sizes(node, KEYSPACE, table), "whole, byte for byte");
            }
            checkLoaded(tables, cql);
            tables.write(40);
            checkLoaded(tables, cql);
            for (String table : FilledTables.moving())
                node.direct(KEYSPACE, table, "in");
            tables.write(20);
            awaitMoved(node);
            checkLoaded(tables, cql);
            node.compact(KEYSPACE);
            checkLoaded(tables, cql);
            assertEquals(List.of(), node.log().errors());
            assertEquals(List.of(), node.log().grep("Submitting index build of|lacks entries"), "entries came with the rows");
            node.killNine();
        }
        try (Node node = start("landed", true); Cql cql = node.cql(KEYSPACE))
        {
            checkLoaded(FilledTables.again(tables, cql), cql);
            assertEquals(List.of(), node.log().grep("lacks entries"));
        }
        Checkout.delete(Checkout.nodes().resolve("landed"));
    }

    private static void checkLoaded(FilledTables tables, Cql cql)
    {
        tables.same();
        for (int w = 0; w < 60; w += 7)
            assertEquals(sorted(cql.texts("SELECT k, c FROM changed_stock WHERE w = ? ALLOW FILTERING", w)),
                         sorted(cql.texts("SELECT k, c FROM changed_engine WHERE w = ?", w)), "by index: " + w);
    }

    private static void fillSource(Node node, Cql cql, int sstables)
    {
        cql.run("CREATE TABLE source" + COLUMNS + "'trie'");
        for (int flush = 0; flush < sstables; flush++)
        {
            for (int k = 0; k < 200; k++)
                cql.run("INSERT INTO source (k, v, w) VALUES (?, ?, ?)", k + 200 * flush, "x".repeat(1_000) + k, k % 10);
            node.flush(KEYSPACE, "source");
        }
    }

    private static void createTarget(Node node, Cql cql)
    {
        cql.run("CREATE TABLE target" + COLUMNS + "'cassiterite'");
        cql.run("CREATE INDEX target_w ON target (w)");
        Indexes.awaitBuilt(cql, KEYSPACE, "target_w");
        hold(node, "target");
    }

    private static CompletableFuture<Output> begin(Node node, Path copies, String... options)
    {
        return CompletableFuture.supplyAsync(() -> SstableLoader.load(node, copies, KEYSPACE, "target", options));
    }

    private static void assertRows(Cql cql, int rows)
    {
        assertEquals(rows, cql.rows("SELECT k FROM target").size());
        assertEquals(rows / 10, cql.rows("SELECT k FROM target WHERE w = 3").size());
    }

    /** Nothing of it shows, its files are gone, and the index is complete. */
    @Test
    void aNodeThatIsKilledBeforeTheEndOfAStreamHasNothingOfIt()
    {
        try (Node node = start("killedlanding", false); Cql cql = node.cql())
        {
            freshKeyspace(cql);
            fillSource(node, cql, 2);
            createTarget(node, cql);
            for (int k = 1000; k < 1010; k++)
                cql.run("INSERT INTO target (k, v, w) VALUES (?, 'own', ?)", k, k % 10);
            Path copies = SstableLoader.copies(node, KEYSPACE, "source");
            StreamHolds.order(node, "received-sstable 2 target");
            CompletableFuture<Output> loading = begin(node, copies);
            StreamHolds.awaitHeld(node, loading);
            assertRows(cql, 10);
            assertEquals(2, SstableLoader.sizes(node, KEYSPACE, "target").size());
            node.killNine();
            assertNotEquals(0, loading.join().exitCode());
            StreamHolds.release(node);
            node.start();
            try (Cql again = node.cql(KEYSPACE))
            {
                assertRows(again, 10);
                assertEquals(List.of(), SstableLoader.sizes(node, KEYSPACE, "target"));
                assertEquals(List.of(), node.log().grep("lacks entries"));
                SstableLoader.load(node, copies, KEYSPACE, "target").success();
                assertRows(again, 410);
                node.killNine();
            }
            node.start();
            try (Cql again = node.cql(KEYSPACE))
            {
                assertRows(again, 410);
                assertEquals(List.of(), node.log().grep("lacks entries"));
                node.direct(KEYSPACE, "target", "in");
                awaitMoved(node);
                assertRows(again, 410);
            }
        }
    }

    /** Entries are there before the rows: one that expires must hide none of a row that stays. */
    @Test
    void rowsThatDoNotComeHideNoEntries() throws IOException
    {
        String insert = "INSERT INTO %s (k, v, w) VALUES (?, ?, 3) USING TIMESTAMP ";
        int rows = 3_000; // the entries of the first ones are written before the last ones are read
        try (Node node = start("unlanded", false); Cql cql = node.cql())
        {
            freshKeyspace(cql);
            cql.run("CREATE TABLE source" + COLUMNS + "'trie'");
            createTarget(node, cql);
            cql.runEach(String.format(insert, "target") + "5", IntStream.range(0, rows), k -> new Object[]{ k, "own" });
            cql.runEach(String.format(insert, "source") + "10 AND TTL " + TTL_S, IntStream.range(0, rows),
                        k -> new Object[]{ k, "x".repeat(500) + k });
            node.flush(KEYSPACE, "source");
            Path copies = SstableLoader.copies(node, KEYSPACE, "source");
            damageEnd(copies);
            assertNotEquals(0, SstableLoader.load(node, copies, KEYSPACE, "target").exitCode());
            node.log().await("cannot be taken into", BOUND);
            Pause.millis(TTL_S * 1_000 + 1_000);
            assertEquals(rows, cql.rows("SELECT k FROM target WHERE w = 3").size());
            assertEquals(rows, cql.rows("SELECT k FROM target").size());
        }
    }

    private static void damageEnd(Path sstables) throws IOException
    {
        try (Stream<Path> files = Files.list(sstables))
        {
            Path data = files.filter(file -> file.toString().endsWith("-Data.db")).findFirst().orElseThrow();
            byte[] bytes = Files.readAllBytes(data);
            bytes[bytes.length - 20] ^= 1;
            Files.write(data, bytes);
        }
    }

    /** M6: what has landed goes with them, and what has come before them does not land any more. */
    @Test
    void truncateAndDropTakeWhatLands()
    {
        try (Node node = start("truncatedlanding", false); Cql cql = node.cql())
        {
            freshKeyspace(cql);
            fillSource(node, cql, 2);
            createTarget(node, cql);
            Path copies = SstableLoader.copies(node, KEYSPACE, "source");
            SstableLoader.load(node, copies, KEYSPACE, "target").success();
            assertRows(cql, 400);
            cql.run("TRUNCATE target");
            assertRows(cql, 0);
            awaitNoFiles(node);
            truncatedMeanwhile(node, cql, copies);
            SstableLoader.load(node, copies, KEYSPACE, "target").success();
            assertRows(cql, 400);
            droppedMeanwhile(node, cql, copies);
            node.killNine();
            node.start();
            try (Cql again = node.cql(KEYSPACE))
            {
                assertRows(again, 0);
            }
        }
    }

    /** Cassandra deletes files soon. */
    private static void awaitNoFiles(Node node)
    {
        Await.until("the files are gone", BOUND, () -> SstableLoader.sizes(node, KEYSPACE, "target").isEmpty());
    }

    private static void truncatedMeanwhile(Node node, Cql cql, Path copies)
    {
        StreamHolds.order(node, "received-sstable 2 target");
        CompletableFuture<Output> loading = begin(node, copies);
        StreamHolds.awaitHeld(node, loading);
        cql.run("TRUNCATE target");
        cql.run("INSERT INTO target (k, v, w) VALUES (7, 'since', 7)");
        StreamHolds.release(node);
        assertNotEquals(0, loading.join().exitCode());
        node.log().await("was truncated during streaming", BOUND);
        assertEquals(List.of("k=7"), cql.texts("SELECT k FROM target"));
        awaitNoFiles(node);
        cql.run("TRUNCATE target");
    }

    private static void droppedMeanwhile(Node node, Cql cql, Path copies)
    {
        String of = " WHERE keyspace_name = '" + KEYSPACE + "' AND table_name = 'target'";
        String id = cql.texts("SELECT id FROM system_schema.tables" + of).get(0).replace("id=", "");
        StreamHolds.order(node, "received-sstable 2 target");
        CompletableFuture<Output> loading = begin(node, copies);
        StreamHolds.awaitHeld(node, loading);
        cql.run("DROP TABLE target");
        StreamHolds.release(node);
        loading.join();
        cql.run("CREATE TABLE target" + COLUMNS + "'cassiterite' AND ID = " + id);
        cql.run("CREATE INDEX target_w ON target (w)");
        assertEquals(List.of(), cql.texts("SELECT k FROM target"));
        Pause.millis(3_000);
        assertEquals(List.of(), cql.texts("SELECT k FROM target"));
    }

    /** As often as rows are seen they are found by index, and none that was seen is missing afterwards, also while they move. */
    @Test
    void rowsHaveEntriesWhenTheyAreSeen()
    {
        try (Node node = start("seenlanding", false); Cql cql = node.cql())
        {
            freshKeyspace(cql);
            fillSource(node, cql, 3);
            createTarget(node, cql);
            node.direct(KEYSPACE, "target", "in");
            CompletableFuture<Output> loading = begin(node, SstableLoader.copies(node, KEYSPACE, "source"));
            int seen = 0;
            while (seen < 60 || node.moves().contains(KEYSPACE))
            {
                int byScan = (int) cql.rows("SELECT w FROM target").stream().filter(row -> row.getInt(0) == 3).count();
                assertTrue(byScan >= seen, byScan + " of " + seen);
                seen = byScan;
                int byIndex = cql.rows("SELECT k FROM target WHERE w = 3").size();
                assertTrue(byIndex >= seen, byIndex + " of " + seen);
                assertTrue(!loading.isCompletedExceptionally());
            }
            loading.join().success();
            assertRows(cql, 600);
        }
    }

    /** At any moment of a load and of the move that follows it. */
    @Test
    void truncateAtAnyMomentLeavesNothingHalf()
    {
        try (Node node = start("anylanding", false); Cql cql = node.cql())
        {
            freshKeyspace(cql);
            fillSource(node, cql, 3);
            createTarget(node, cql);
            node.direct(KEYSPACE, "target", "in");
            Path copies = SstableLoader.copies(node, KEYSPACE, "source");
            List<String> ends = new ArrayList<>();
            for (int round = 0; round < 6; round++)
            {
                CompletableFuture<Output> loading = begin(node, copies);
                Pause.millis(3_500 + 500L * round);
                cql.run("TRUNCATE target");
                boolean loaded = loading.join().exitCode() == 0;
                int rows = cql.rows("SELECT k FROM target").size();
                ends.add(loaded + " " + rows);
                assertTrue(rows == 0 || loaded && rows == 600, ends.toString());
                assertRows(cql, rows);
                awaitMoved(node);
                assertRows(cql, rows);
                cql.run("TRUNCATE target");
            }
        }
    }
}
