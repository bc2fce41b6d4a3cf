/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.stream;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.Output;
import io.cassiterite.nodetest.StreamHolds;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tables are altered, truncated and dropped while their files are being streamed. */
@Tag("cluster")
@Timeout(1200)
class SchemaChangeTest
{
    private static final Duration BOUND = Duration.ofSeconds(60);

    private final String[] tables = { "plain", "counted", "changed" };

    /** Sends one file after the other, so that one held file holds all. */
    private static Node sender(String name)
    {
        return StreamHolds.on(JoinAndLeaveTest.node(name, "127.0.0.1")).jvm("-Dcassandra.streaming.session.parallelTransfers=1").start();
    }

    private static Node receiver(String name, Node sender)
    {
        return JoinAndLeaveTest.node(name, "127.0.0.2").joining(sender).yaml("auto_bootstrap", "false").build();
    }

    @Test
    void columnsComeAndGoMeanwhile()
    {
        try (Node first = sender("alter-1"); Node second = receiver("alter-2", first); Cql cql = first.cql())
        {
            StreamedTables.create(first, cql, "before", 2);
            StreamedTables.create(first, cql, "between", 2);
            long rows = cql.rows("SELECT p FROM before.changed").size();
            assertFalse(cql.rows("SELECT x FROM between.changed").stream().allMatch(row -> row.isNull("x")));
            second.start();
            Peers.awaitUp(first, second);
            // before and after a file of the table has been sent
            rebuildAround(first, second, "before", "sent 1 changed", () -> {
                alter(first, cql, "ALTER TABLE before.changed DROP x");
                alter(first, cql, "ALTER TABLE before.changed ADD y int");
                cql.run("INSERT INTO before.changed (p, c, y) VALUES (5000, 1, 7)");
            }).success();
            rebuildAround(first, second, "between", "sent 2 changed", () -> {
                alter(first, cql, "ALTER TABLE between.changed DROP x");
                alter(first, cql, "ALTER TABLE between.changed ADD x text");
                cql.run("INSERT INTO between.changed (p, c, x) VALUES (5000, 1, 'newest')");
            }).success();
            StreamFolders.awaitEmpty(first, "before", "between");
            StreamFolders.awaitEmpty(second, "before", "between");
            List<String> received = rowsOf(second, first);
            assertEquals(String.join("\n", received), String.join("\n", rowsOf(first, second)));
            assertDropped(second, rows + 1);
        }
    }

    private static void alter(Node node, Cql cql, String statement)
    {
        cql.run(statement);
        Peers.awaitSameSchema(node);
    }

    private static void assertDropped(Node node, long rows)
    {
        try (Cql cql = node.cql())
        {
            assertEquals(rows, cql.rows("SELECT p FROM before.changed").size());
            List<Row> all = cql.rows("SELECT p, x FROM between.changed");
            assertEquals(rows, all.size());
            for (Row row : all)
                if (row.getInt("p") != 5000)
                    assertNull(row.getString("x"), "a dropped value has come back");
        }
    }

    @Test
    void aDropAsOfAnEarlierTimeIsRefusedAlsoByANodeThatHasNoneOfTheRows()
    {
        try (Node first = JoinAndLeaveTest.node("partial-1", "127.0.0.1").start(); Node second = receiver("partial-2", first))
        {
            second.start();
            Peers.awaitUp(first, second);
            try (Cql cql = second.cql())
            {
                cql.run("CREATE KEYSPACE partial WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
                cql.run("CREATE TABLE partial.t (k int PRIMARY KEY, v int) WITH memtable = 'cassiterite'");
                Peers.awaitSameSchema(second);
                alter(second, cql, "ALTER TABLE partial.t DROP v USING TIMESTAMP 1");
                alter(second, cql, "ALTER TABLE partial.t ADD v int");
                cql.run("INSERT INTO partial.t (k, v) VALUES (" + keyOf(first) + ", 1)");
                String drop = "ALTER TABLE partial.t DROP v USING TIMESTAMP 2";
                assertRefused(cql, drop, "is dropped as of an earlier time");
                first.killNine();
                assertRefused(cql, drop, "not all replicas could tell");
            }
        }
    }

    /** One of which the node has the rows. */
    private static int keyOf(Node node)
    {
        for (int key = 0; key < 100; key++)
            if (node.nodetool("getendpoints", "partial", "t", Integer.toString(key)).success().contains(node.cqlAddress().getHostString()))
                return key;
        throw new AssertionError("the node has no row");
    }

    private static void assertRefused(Cql cql, String statement, String why)
    {
        String refusal = assertThrows(InvalidQueryException.class, () -> cql.run(statement)).getMessage();
        assertTrue(refusal.contains(why), refusal);
    }

    @Test
    void aTableIsDroppedMeanwhile()
    {
        try (Node first = sender("drop-1"); Node second = receiver("drop-2", first); Cql cql = first.cql())
        {
            StreamedTables.create(first, cql, "dropped", 2);
            List<String> expected = everything(cql, "dropped", "plain", "counted");
            second.start();
            Peers.awaitUp(first, second);
            Output rebuild = rebuildAround(first, second, "dropped", "sent 2 changed",
                                          () -> cql.run("DROP TABLE dropped.changed"));
            assertNotEquals(0, rebuild.exitCode(), rebuild::text);
            second.log().await("was dropped during streaming", BOUND);
            StreamFolders.awaitEmpty(first, "dropped");
            StreamFolders.awaitEmpty(second, "dropped");

            second.nodetool("rebuild", "-ks", "dropped").success();
            assertEquals(List.of(), second.log().grep("^ERROR .*FSWriteError|Stopping"));
            Peers.kill(first, second);
            try (Cql rest = second.cql())
            {
                assertEquals(String.join("\n", expected), String.join("\n", everything(rest, "dropped", "plain", "counted")));
                List<Row> left = rest.localRows("SELECT table_name FROM cassiterite.tables");
                assertTrue(left.stream().noneMatch(row -> "changed".equals(row.getString("table_name"))), left.toString());
            }
        }
    }

    @Test
    void aTableIsTruncatedMeanwhile()
    {
        try (Node first = sender("truncate-1"); Node second = receiver("truncate-2", first); Cql cql = first.cql())
        {
            StreamedTables.create(first, cql, "truncated", 2);
            List<String> expected = everything(cql, "truncated", "plain", "counted");
            second.start();
            Peers.awaitUp(first, second);
            Output rebuild = rebuildAround(first, second, "truncated", "sent 2 changed",
                                          () -> cql.run("TRUNCATE truncated.changed"));
            assertNotEquals(0, rebuild.exitCode(), rebuild::text);
            second.log().await("was truncated during streaming", BOUND);
            StreamFolders.awaitEmpty(first, "truncated");
            StreamFolders.awaitEmpty(second, "truncated");

            second.nodetool("rebuild", "-ks", "truncated").success();
            assertEquals(List.of(), second.log().grep("^ERROR .*FSWriteError|Stopping"));
            Peers.kill(first, second);
            try (Cql rest = second.cql())
            {
                assertEquals(String.join("\n", expected), String.join("\n", everything(rest, "truncated", tables)));
            }
        }
    }

    private static Output rebuildAround(Node sender, Node receiver, String keyspace, String order, Runnable change)
    {
        StreamHolds.order(sender, order);
        CompletableFuture<Output> rebuild = CompletableFuture.supplyAsync(() -> receiver.nodetool("rebuild", "-ks", keyspace));
        StreamHolds.awaitHeld(sender, rebuild);
        change.run();
        Peers.awaitSameSchema(sender);
        assertFalse(rebuild.isDone());
        StreamHolds.release(sender);
        return rebuild.join();
    }

    /** The rows of a node while the other is down, which is started again afterwards. */
    private List<String> rowsOf(Node node, Node other)
    {
        Peers.kill(other, node);
        try (Cql cql = node.cql())
        {
            List<String> all = everything(cql, "before", tables);
            all.addAll(everything(cql, "between", tables));
            return all;
        }
        finally
        {
            other.start();
            Peers.awaitUp(other, node);
            Peers.awaitUp(node, other);
        }
    }

    private static List<String> everything(Cql cql, String keyspace, String... tables)
    {
        List<String> all = new ArrayList<>();
        for (String table : tables)
            cql.exact("SELECT * FROM " + keyspace + '.' + table).forEach(row -> all.add(table + ": " + row));
        Collections.sort(all);
        return all;
    }
}
