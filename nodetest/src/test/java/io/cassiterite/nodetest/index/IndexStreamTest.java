/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.index;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.cassiterite.nodetest.Checkout;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;
import io.cassiterite.nodetest.Pause;
import io.cassiterite.nodetest.stream.Peers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Rows that come as files, when a node joins and when it repairs, have their entries. */
@Tag("cluster")
@Timeout(900)
class IndexStreamTest
{
    private static final int TTL_PASSED_MS = 2_500;
    private static final int DOWN_MS = 10_000;
    private static final int SLOW_ROWS = 10_000;
    private static final int FILLER_BYTES = 4_000;

    private static NodeBuilder node(String name, String address)
    {
        return Node.named(name).address(address).ofChangingRing().yaml("hinted_handoff_enabled", "false");
    }

    @Test
    void streamedRowsHaveEntries()
    {
        try (Node first = node("index-1", "127.0.0.1").start(); Cql cql = first.cql())
        {
            IndexedTable both = table(first, cql, "both", 2);
            IndexedTable single = table(first, cql, "single", 1);
            Pause.millis(TTL_PASSED_MS);
            int inBoth = both.check(cql);
            int inSingle = single.check(cql);
            first.nodetool("flush").success();
            try (Node second = node("index-2", "127.0.0.2").joining(first).start())
            {
                try (Cql there = second.cql())
                {
                    assertTrue(there.rows("SELECT * FROM cassiterite.streams").size() > 0);
                    assertEquals(inBoth, both.check(there));
                    assertEquals(inSingle, single.check(there));
                }
                kill(first, second);
                try (Cql there = second.cql())
                {
                    assertEquals(inBoth, both.check(there), "alone");
                    cut(there, both);
                }
                first.start();
                Indexes.awaitBuilt(cql, "both", "by_c");
                first.nodetool("repair", "--full", "both").success();
                kill(second, first);
                try (Cql here = first.cql())
                {
                    Pause.millis(TTL_PASSED_MS);
                    assertTrue(both.check(here) > 0);
                    assertEquals(List.of("k=1000"), here.texts("SELECT k FROM both.t WHERE v = 1000"));
                }
            }
        }
        Checkout.delete(Checkout.nodes().resolve("index-2"));
    }

    /** The node sees one change of the index, not that it was dropped and made again. */
    @Test
    void anIndexMadeAnewWhileANodeIsDownIsBuiltThere()
    {
        try (Node first = node("index-1", "127.0.0.1").start(); Cql cql = first.cql())
        {
            cql.run("CREATE KEYSPACE anew WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 2}");
            cql.run("CREATE TABLE anew.t (k int PRIMARY KEY, a int, b int) WITH memtable = 'cassiterite'");
            cql.run("CREATE INDEX i ON anew.t (a)");
            Indexes.awaitBuilt(cql, "anew", "i");
            try (Node second = node("index-2", "127.0.0.2").joining(first).start())
            {
                for (int k = 0; k < 100; k++)
                    cql.run("INSERT INTO anew.t (k, a, b) VALUES (?, 1, 2)", k);
                second.stop();
                cql.run("DROP INDEX anew.i");
                cql.run("CREATE INDEX i ON anew.t (b)");
                // the first node's connections to it must have ended
                Pause.millis(DOWN_MS);
                second.start();
                Peers.awaitUp(first, second);
                try (Cql there = second.cql())
                {
                    kill(first, second);
                    Indexes.await(Duration.ofMinutes(4), () -> there.rows("SELECT k FROM anew.t WHERE b = 2").size() == 100);
                    assertEquals(0, there.rows("SELECT k FROM anew.t WHERE b = 1").size());
                }
            }
        }
        Checkout.delete(Checkout.nodes().resolve("index-2"));
    }

    /** The build of the second node reads again what the stream brought, and nothing else. */
    @Test
    void aStreamBesideABuildIsReadAgainAlone()
    {
        try (Node first = node("index-1", "127.0.0.1").start(); Cql cql = first.cql())
        {
            cql.run("CREATE KEYSPACE besides WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 2}");
            cql.run("CREATE TABLE besides.t (k int PRIMARY KEY, v int, filler text) WITH memtable = 'cassiterite'");
            String filler = "x".repeat(FILLER_BYTES);
            for (int k = 0; k < SLOW_ROWS; k++)
                cql.run("INSERT INTO besides.t (k, v, filler) VALUES (?, 1, ?)", k, filler);
            try (Node second = node("index-2", "127.0.0.2").joining(first).start())
            {
                // before, a write waits for it, as for every node that joins
                Indexes.await(Duration.ofMinutes(4), () -> first.nodetool("status").success().contains("UN  127.0.0.2"));
                kill(second, first);
                cql.run("INSERT INTO besides.t (k, v) VALUES (?, 1)", SLOW_ROWS);
                second.start();
                Indexes.await(Duration.ofMinutes(4), () -> !first.log().grep("127.0.0.2.* is now UP").isEmpty());
                second.nodetool("setcompactionthroughput", "1").success();
                cql.run("CREATE INDEX by_v ON besides.t (v)");
                Indexes.awaitBuilt(cql, "besides", "by_v");
                first.nodetool("repair", "--full", "besides").success();
                try (Cql there = second.cql())
                {
                    assertFalse(Indexes.isBuilt(there, "besides", "by_v"), "the build was over before the repair");
                    second.nodetool("setcompactionthroughput", "0").success();
                    Indexes.awaitBuilt(there, "besides", "by_v");
                    List<String> again = second.log().grep("beside the build of \\[by_v\\]: it reads \\d+ token ranges again");
                    assertEquals(1, again.size());
                    kill(first, second);
                    assertEquals(SLOW_ROWS + 1, there.rows("SELECT k FROM besides.t WHERE v = 1").size());
                }
            }
        }
        Checkout.delete(Checkout.nodes().resolve("index-2"));
    }

    /** Returns when the other one knows: before, it may ask the one that is gone, and waits for it. */
    private static void kill(Node node, Node other)
    {
        other.log().mark();
        node.killNine();
        Indexes.await(Duration.ofMinutes(2), () -> !other.log().grep("is now DOWN").isEmpty());
    }

    /** Entries of rows that cleanup has removed stay. The rows come back, some of them with other values, and some do not. */
    @Test
    void rangesThatReturnHaveTheirEntries()
    {
        try (Node first = node("index-1", "127.0.0.1").start(); Cql cql = first.cql())
        {
            IndexedTable table = table(first, cql, "returning", 1);
            try (Node second = node("index-2", "127.0.0.2").joining(first).start())
            {
                first.nodetool("cleanup", "returning").success();
                Pause.millis(TTL_PASSED_MS);
                assertTrue(table.check(cql) > 0);
                table.fill(cql, 1_000);
                second.nodetool("decommission", "--force").success();
            }
            Pause.millis(TTL_PASSED_MS);
            int rows = table.check(cql);
            assertTrue(rows > 0);
            first.compact("returning");
            assertEquals(rows, table.check(cql));
        }
        Checkout.delete(Checkout.nodes().resolve("index-2"));
    }

    /** Writes while the other node is down. */
    private static void cut(Cql cql, IndexedTable table)
    {
        table.fill(cql, 500);
        cql.run("INSERT INTO both.t (k, c, v) VALUES (1000, 1, 1000)");
    }

    private static IndexedTable table(Node node, Cql cql, String keyspace, int replicas)
    {
        cql.run("CREATE KEYSPACE " + keyspace + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': " + replicas + "}");
        IndexedTable table = IndexedTable.create(node, cql, keyspace + ".t");
        table.index(cql);
        table.fill(cql, 3_000);
        return table;
    }
}
