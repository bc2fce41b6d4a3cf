/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.index;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.EngineFigures;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeTest;
import io.cassiterite.nodetest.Pause;
import io.cassiterite.nodetest.Snapshots;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Indexes are right through all that happens to their table: a scan and they find the same rows. */
@NodeTest(own = true)
class IndexLifeTest
{
    private static final int TTL_PASSED_MS = 2_500;
    private static final int PURGEABLE_MS = 1_100;
    private static final long ENTRY_BYTES_MAX = 30;

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
        Indexes.index(cql, "indexlifetest", "stale");
        for (int i = 0; i < 200; i++)
            cql.run("INSERT INTO stale (k, v, w) VALUES (1, ?, ?)", i % 4, i);
        for (int v = 0; v < 3; v++)
            assertEquals(List.of(), cql.texts("SELECT k FROM stale WHERE v = ?", v));
        assertEquals(List.of("k=1, v=3, w=199"), cql.texts("SELECT * FROM stale WHERE v = 3"));
        flushAndCompact(node, "stale");
        assertEquals(1, indexFigure(cql, "stale", "keys_estimated"));
        // one of them comes back, with a newer timestamp
        cql.run("UPDATE stale SET v = 1 WHERE k = 1");
        assertEquals(List.of("k=1, v=1, w=199"), cql.texts("SELECT * FROM stale WHERE v = 1"));
        cql.run("DROP TABLE stale");
    }

    /**
     * A build rounds times up, here to 134,217,728 microseconds. What supersedes the entry before that does not remove it: the
     * removal would hide the value that comes back (danger S11).
     */
    @Test
    void aValueThatComesBackBeforeARoundedTimeIsFound(Node node, Cql cql)
    {
        cql.run("CREATE TABLE rounded (k int PRIMARY KEY, v int) WITH memtable = 'cassiterite' AND gc_grace_seconds = 0");
        for (int k = 0; k < 4; k++)
            cql.run("INSERT INTO rounded (k, v) VALUES (?, 1) USING TIMESTAMP 100000000", k);
        Indexes.index(cql, "indexlifetest", "rounded");
        cql.run("UPDATE rounded USING TIMESTAMP 100000010 SET v = 2 WHERE k = 0");
        cql.run("DELETE FROM rounded USING TIMESTAMP 100000010 WHERE k = 1");
        cql.run("DELETE v FROM rounded USING TIMESTAMP 100000010 WHERE k = 2");
        cql.run("UPDATE rounded USING TIMESTAMP 100000010 AND TTL 1 SET v = 1 WHERE k = 3");
        assertEquals(List.of("k=3, v=1"), cql.texts("SELECT * FROM rounded WHERE v = 1"));
        Pause.millis(TTL_PASSED_MS);
        assertEquals(List.of(), cql.texts("SELECT * FROM rounded WHERE v = 1"));
        flushAndCompact(node, "rounded");
        assertEquals(List.of(), cql.texts("SELECT * FROM rounded WHERE v = 1"));
        for (int k = 0; k < 4; k++)
            cql.run("INSERT INTO rounded (k, v) VALUES (?, 1) USING TIMESTAMP 100000020", k);
        assertEquals(4, cql.texts("SELECT * FROM rounded WHERE v = 1").size());
        // what comes later than the rounded time removes them
        for (int k = 0; k < 4; k++)
            cql.run("UPDATE rounded USING TIMESTAMP 134217729 SET v = 2 WHERE k = ?", k);
        assertEquals(List.of(), cql.texts("SELECT * FROM rounded WHERE v = 1"));
        flushAndCompact(node, "rounded");
        assertEquals(4, indexFigure(cql, "rounded", "keys_estimated"));
        assertEquals(4, cql.texts("SELECT * FROM rounded WHERE v = 2").size());
        cql.run("DROP TABLE rounded");
    }

    /** What an index grows by. */
    @Test
    void overwrittenValuesThatNobodyAsksForKeepSmallEntries(Node node, Cql cql, TestReporter reporter)
    {
        cql.run("CREATE TABLE grown (k int PRIMARY KEY, v int, w int) WITH memtable = 'cassiterite'");
        Indexes.index(cql, "indexlifetest", "grown");
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
        return EngineFigures.of(cql, "indexlifetest", table, table + "_v", figure);
    }

    @Test
    void aSnapshotIsLoadedWithItsEntries(Node node, Cql cql)
    {
        IndexedTable table = indexed(node, cql, "indexlifetest.loaded");
        table.fill(cql, 1_000);
        Pause.millis(TTL_PASSED_MS);
        int rows = table.check(cql);
        Path saved = Snapshots.take(node, "indexlifetest", "loaded", "saved");
        cql.run("TRUNCATE loaded");
        assertEquals(0, table.check(cql));
        assertTrue(node.snapshotLoad("indexlifetest", "loaded", saved).success().contains("loaded"));
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
        Indexes.index(cql, "indexlifetest", "dead");
        for (int c = 0; c < 60; c++)
            cql.run("INSERT INTO dead (k, c, v) VALUES (1, ?, 7)", c);
        for (int c = 0; c < 58; c++)
            cql.run("DELETE FROM dead WHERE k = 1 AND c = ?", c);
        flushAndCompact(node, "dead");
        assertEquals(List.of("k=1, c=58, v=7", "k=1, c=59, v=7"), cql.texts("SELECT * FROM dead WHERE v = 7"));
        assertEquals(List.of("k=1, c=58, v=7", "k=1, c=59, v=7"), cql.texts("SELECT * FROM dead WHERE k = 1 AND v = 7"));
        cql.run("DROP TABLE dead");
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

    @Tag("cluster")
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
