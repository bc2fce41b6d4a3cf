/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.index;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeTest;
import io.cassiterite.nodetest.Pause;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Indexes are right through all that happens to their table: a scan and they find the same rows. */
@NodeTest(own = true)
class IndexLifeTest
{
    private static final int TTL_PASSED_MS = 2_500;
    private static final int PURGEABLE_MS = 1_100;
    private static final long ENTRY_BYTES_MAX = 30;
    private static final int LOADED_ROWS = 6_000;
    private static final int LOADED_VALUE_BYTES = 10_000;
    /** At 1 MiB/s the build of their index lasts more than half a minute: long after the load. */
    private static final int BESIDE_ROWS = 4_000;

    /** What has a TTL in {@link IndexedTable#change} expires before. */
    private static void checkWithRows(IndexedTable table, Cql cql)
    {
        Pause.millis(TTL_PASSED_MS);
        assertTrue(table.check(cql) > 0);
    }

    /** The test before may have restarted the node. */
    @BeforeEach
    void connected(Cql cql)
    {
        cql.awaitReconnection();
    }

    /** Of column v. */
    private static void index(Cql cql, String table)
    {
        cql.run("CREATE INDEX " + table + "_v ON " + table + " (v)");
        Indexes.awaitBuilt(cql, "indexlifetest", table + "_v");
    }

    /** What was deleted in the second of a compaction is not purged by it. */
    private static void flushAndCompact(Node node, String table)
    {
        Pause.millis(PURGEABLE_MS);
        node.flush("indexlifetest", table);
        node.compact("indexlifetest", table);
    }

    private static IndexedTable indexed(Node node, Cql cql, String name)
    {
        IndexedTable table = IndexedTable.create(node, cql, name);
        table.index(cql);
        return table;
    }

    /** (danger S9) */
    @Test
    void anIndexIsBuiltWhileRowsAreWritten(Node node, Cql cql)
    {
        IndexedTable table = IndexedTable.create(node, cql, "indexlifetest.built");
        table.fill(cql, 2_000);
        try (IndexedTable.Writers writers = table.write(3))
        {
            writers.awaitSome();
            Pause.millis(1_000);
            table.index(cql);
            Pause.millis(1_000);
        }
        checkWithRows(table, cql);
        cql.run("DROP TABLE built");
    }

    /** (danger S10) */
    @Test
    void truncationUnderWritesEmptiesBoth(Node node, Cql cql)
    {
        IndexedTable table = indexed(node, cql, "indexlifetest.truncated");
        try (IndexedTable.Writers writers = table.write(3))
        {
            writers.awaitSome();
            for (int i = 0; i < 4; i++)
            {
                Pause.millis(500);
                cql.run("TRUNCATE truncated");
            }
            Pause.millis(500);
        }
        checkWithRows(table, cql);
        cql.run("TRUNCATE truncated");
        assertEquals(0, table.check(cql));
        assertEquals(List.of(), node.log().grep("indexlifetest.truncated lacks entries"));
        cql.run("DROP TABLE truncated");
    }

    @Test
    void indexesAreDroppedAndMadeAgainUnderWrites(Node node, Cql cql)
    {
        IndexedTable table = indexed(node, cql, "indexlifetest.again");
        try (IndexedTable.Writers writers = table.write(2))
        {
            writers.awaitSome();
            for (int i = 0; i < 3; i++)
            {
                for (String index : List.of("by_v", "by_e", "by_s", "by_c"))
                    cql.run("DROP INDEX " + index);
                Pause.millis(300);
                table.index(cql);
            }
        }
        checkWithRows(table, cql);
        cql.run("DROP TABLE again");
    }

    @Test
    void nothingIsMissingAfterKillNine(Node node)
    {
        IndexedTable table;
        try (Cql cql = node.cql("indexlifetest"))
        {
            table = indexed(node, cql, "indexlifetest.killed");
        }
        for (int round = 0; round < 3; round++)
        {
            try (IndexedTable.Writers writers = table.write(3))
            {
                writers.awaitSome();
                Pause.millis(1_500);
                node.killNine();
            }
            node.start();
            try (Cql cql = node.cql("indexlifetest"))
            {
                Indexes.awaitBuilt(cql, "indexlifetest", "by_c");
                checkWithRows(table, cql);
            }
        }
        assertEquals(List.of(), node.log().grep("indexlifetest.killed lacks entries"), "no index is built again after a crash");
        try (Cql cql = node.cql("indexlifetest"))
        {
            cql.run("DROP TABLE killed");
        }
    }

    @Test
    void aBuildThatIsKilledBeginsAgain(Node node)
    {
        IndexedTable table;
        try (Cql cql = node.cql("indexlifetest"))
        {
            table = IndexedTable.create(node, cql, "indexlifetest.cut");
            table.fill(cql, 3_000);
            cql.run("CREATE INDEX by_v ON cut (v)");
            node.killNine();
        }
        node.start();
        try (Cql cql = node.cql("indexlifetest"))
        {
            cql.run("CREATE INDEX IF NOT EXISTS by_v ON cut (v)");
            for (String column : List.of("e", "s", "c"))
                cql.run("CREATE INDEX by_" + column + " ON cut (" + column + ")");
            for (String index : List.of("by_v", "by_e", "by_s", "by_c"))
                Indexes.awaitBuilt(cql, "indexlifetest", index);
            checkWithRows(table, cql);
            cql.run("DROP TABLE cut");
        }
    }

    @Test
    void staleEntriesGo(Node node, Cql cql)
    {
        cql.run("CREATE TABLE stale (k int PRIMARY KEY, v int, w int) WITH memtable = 'cassiterite'");
        index(cql, "stale");
        for (int i = 0; i < 200; i++)
            cql.run("INSERT INTO stale (k, v, w) VALUES (1, ?, ?)", i % 4, i);
        for (int v = 0; v < 3; v++)
            assertEquals(List.of(), cql.texts("SELECT k FROM stale WHERE v = ?", v));
        assertEquals(List.of("k=1, v=3, w=199"), cql.texts("SELECT * FROM stale WHERE v = 3"));
        flushAndCompact(node, "stale");
        String keys = "SELECT keys_estimated FROM cassiterite.tables WHERE keyspace_name = 'indexlifetest' AND table_name = 'stale'"
                      + " AND index_name = 'stale_v'";
        assertEquals(1, cql.rows(keys).get(0).getLong("keys_estimated"));
        // one of them comes back, with a newer timestamp
        cql.run("UPDATE stale SET v = 1 WHERE k = 1");
        assertEquals(List.of("k=1, v=1, w=199"), cql.texts("SELECT * FROM stale WHERE v = 1"));
        cql.run("DROP TABLE stale");
    }

    /** What an index grows by. */
    @Test
    void overwrittenValuesThatNobodyAsksForKeepSmallEntries(Node node, Cql cql, TestReporter reporter)
    {
        cql.run("CREATE TABLE grown (k int PRIMARY KEY, v int, w int) WITH memtable = 'cassiterite'");
        index(cql, "grown");
        int updates = 20_000;
        cql.runEach("UPDATE grown SET v = ? WHERE k = ?", IntStream.range(0, updates), i -> new Object[]{ i, i % 10 });
        flushAndCompact(node, "grown");
        long entries = indexFigure(cql, "grown", "keys_estimated");
        assertEquals(updates, entries);
        long bytes = indexFigure(cql, "grown", "sst_bytes") / entries;
        reporter.publishEntry("bytes of files for each value", Long.toString(bytes));
        assertTrue(bytes <= ENTRY_BYTES_MAX, bytes + " bytes each");
        // only what was written with a TTL goes by itself
        cql.run("TRUNCATE grown");
        cql.runEach("UPDATE grown USING TTL 1 SET v = ? WHERE k = ?", IntStream.range(0, 1_000), i -> new Object[]{ i, i % 10 });
        node.flush("indexlifetest", "grown");
        Pause.millis(TTL_PASSED_MS);
        node.compact("indexlifetest", "grown");
        assertEquals(0, indexFigure(cql, "grown", "keys_estimated"));
        cql.run("DROP TABLE grown");
    }

    private static long indexFigure(Cql cql, String table, String figure)
    {
        return cql.rows("SELECT " + figure + " FROM cassiterite.tables WHERE keyspace_name = 'indexlifetest' AND table_name = ?"
                        + " AND index_name = ?", table, table + "_v").get(0).getLong(figure);
    }

    @Test
    void aSnapshotIsLoadedWithItsEntries(Node node, Cql cql)
    {
        IndexedTable table = indexed(node, cql, "indexlifetest.loaded");
        table.fill(cql, 1_000);
        Pause.millis(TTL_PASSED_MS);
        int rows = table.check(cql);
        save(node, "loaded");
        cql.run("TRUNCATE loaded");
        assertEquals(0, table.check(cql));
        assertTrue(load(node, "loaded").contains("loaded"));
        assertEquals(rows, table.check(cql));
        assertTrue(cql.rows("SELECT * FROM loaded").size() > 0);
        node.nodetool("rebuild_index", "indexlifetest", "loaded", "by_v").success();
        assertEquals(rows, table.check(cql));
        cql.run("DROP TABLE loaded");
    }

    /** Entries whose rows are gone stay; a batch of them has no row. */
    @Test
    void rowsBehindManyDeadEntriesAreFound(Node node, Cql cql)
    {
        cql.run("CREATE TABLE dead (k int, c int, v int, PRIMARY KEY (k, c)) WITH memtable = 'cassiterite' AND gc_grace_seconds = 0");
        index(cql, "dead");
        for (int c = 0; c < 60; c++)
            cql.run("INSERT INTO dead (k, c, v) VALUES (1, ?, 7)", c);
        for (int c = 0; c < 58; c++)
            cql.run("DELETE FROM dead WHERE k = 1 AND c = ?", c);
        flushAndCompact(node, "dead");
        assertEquals(List.of("k=1, c=58, v=7", "k=1, c=59, v=7"), cql.texts("SELECT * FROM dead WHERE v = 7"));
        assertEquals(List.of("k=1, c=58, v=7", "k=1, c=59, v=7"), cql.texts("SELECT * FROM dead WHERE k = 1 AND v = 7"));
        cql.run("DROP TABLE dead");
    }

    /** A load that began before the index knows nothing of it, and goes on behind the scan of the build. */
    @Test
    void anIndexMadeDuringALoadFindsItsRows(Node node, Cql cql)
    {
        cql.run("CREATE TABLE behind (k int PRIMARY KEY, v int, filler text) WITH memtable = 'cassiterite'");
        String filler = "x".repeat(LOADED_VALUE_BYTES);
        cql.runEach("INSERT INTO behind (k, v, filler) VALUES (?, ?, ?)", IntStream.range(0, LOADED_ROWS),
                    k -> new Object[]{ k, k % 4, filler });
        save(node, "behind");
        for (int round = 0; round < 3; round++)
        {
            cql.run("TRUNCATE behind");
            CompletableFuture<String> load = CompletableFuture.supplyAsync(() -> load(node, "behind"));
            Indexes.await(Duration.ofMinutes(4), () -> !cql.rows("SELECT k FROM behind LIMIT 1").isEmpty());
            index(cql, "behind");
            load.join();
            for (int v = 0; v < 4; v++)
                assertEquals(LOADED_ROWS / 4, cql.rows("SELECT k FROM behind WHERE v = ?", v).size(), "round " + round);
            cql.run("DROP INDEX behind_v");
        }
        cql.run("DROP TABLE behind");
    }

    /** A build takes hours where the table is large; what comes meanwhile gets its entries in the indexes that are complete. */
    @Test
    void aLoadDuringTheBuildOfAnotherIndexLeavesThisOneComplete(Node node, Cql cql)
    {
        cql.run("CREATE TABLE beside (k int PRIMARY KEY, v int, w int, filler text) WITH memtable = 'cassiterite'");
        index(cql, "beside");
        String filler = "x".repeat(LOADED_VALUE_BYTES);
        cql.runEach("INSERT INTO beside (k, v, w, filler) VALUES (?, 1, 2, ?)", IntStream.range(0, BESIDE_ROWS),
                    k -> new Object[]{ k, filler });
        save(node, "beside");
        node.nodetool("setcompactionthroughput", "1").success();
        try
        {
            cql.run("CREATE INDEX beside_w ON beside (w)");
            load(node, "beside");
            assertFalse(Indexes.isBuilt(cql, "indexlifetest", "beside_w"), "the build was over before the load");
            assertEquals(BESIDE_ROWS, cql.rows("SELECT k FROM beside WHERE v = 1").size());
        }
        finally
        {
            node.nodetool("setcompactionthroughput", "0").success();
        }
        Indexes.awaitBuilt(cql, "indexlifetest", "beside_w");
        assertEquals(BESIDE_ROWS, cql.rows("SELECT k FROM beside WHERE w = 2").size());
        assertEquals(List.of(), node.log().grep("indexlifetest.beside lacks entries"));
        cql.run("DROP TABLE beside");
    }

    private static void save(Node node, String table)
    {
        node.nodetool("snapshot", "-t", "saved", "-cf", table, "indexlifetest").success();
    }

    private static String load(Node node, String table)
    {
        return node.snapshotLoad("indexlifetest", table, snapshot(node, table)).success();
    }

    private static Path snapshot(Node node, String table)
    {
        Path keyspace = node.base().resolve("data").resolve("indexlifetest");
        String[] folders = keyspace.toFile().list((folder, name) -> name.startsWith(table + "-"));
        return keyspace.resolve(folders[0]).resolve("snapshots").resolve("saved").resolve("cassiterite");
    }

    @Test
    void anotherColumnMayBeAlteredMeanwhile(Node node, Cql cql)
    {
        IndexedTable table = indexed(node, cql, "indexlifetest.altered");
        try (IndexedTable.Writers writers = table.write(2))
        {
            writers.awaitSome();
            for (int i = 0; i < 3; i++)
            {
                cql.run("ALTER TABLE altered ADD w text");
                Pause.millis(200);
                cql.run("ALTER TABLE altered DROP w");
                Pause.millis(50);
            }
        }
        assertTrue(cql.refusal("ALTER TABLE altered DROP v").contains("by_v"));
        checkWithRows(table, cql);
        cql.run("DROP TABLE altered");
    }

    @Test
    void unloggedKeyspacesHaveIndexesToo(Node node)
    {
        try (Cql cql = node.cql())
        {
            cql.run("CREATE KEYSPACE nolog WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}"
                    + " AND durable_writes = false");
            IndexedTable table = indexed(node, cql, "nolog.t");
            table.fill(cql, 500);
            Pause.millis(TTL_PASSED_MS);
            int rows = table.check(cql);
            node.restart();
            try (Cql after = node.cql())
            {
                assertEquals(rows, table.check(after));
                table.fill(after, 300);
                Pause.millis(TTL_PASSED_MS);
            }
            node.killNine();
            node.start();
            try (Cql after = node.cql())
            {
                Indexes.await(Duration.ofMinutes(4), () -> table.check(after) >= 0);
                after.run("DROP KEYSPACE nolog");
            }
        }
    }
}
