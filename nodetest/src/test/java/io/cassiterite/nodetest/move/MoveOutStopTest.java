/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.move;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.cassiterite.nodetest.Await;
import io.cassiterite.nodetest.Checkout;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.MoveFaults;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

/**
 * A round that ends when its sstables are the table's and the engine has the rows still, which a read holds it to: the sstables
 * go, and the next round does not write the rows a second time. Also where the schema has changed since, or compactions have them
 * (M15).
 */
@Timeout(900)
class MoveOutStopTest
{
    private static final String NAME = "stoppedout";
    private static final int KEYS = 1_000;

    private static NodeBuilder node()
    {
        return MoveFaults.on(EnteringNode.engine(NAME).jvm("-Dcassiterite.move_rest_bytes=4000"));
    }

    private static void fill(Cql cql)
    {
        cql.freshKeyspace(FilledTables.KEYSPACE);
        cql.run("USE " + FilledTables.KEYSPACE);
        cql.run("CREATE TABLE t (k int PRIMARY KEY, u text, v text) WITH gc_grace_seconds = 0 AND memtable = '" + EnteringNode.KEY
                + "' AND compaction = {'class': 'SizeTieredCompactionStrategy', 'min_threshold': 32}");
        for (int k = 0; k < KEYS; k++)
            cql.run("INSERT INTO t (k, u, v) VALUES (?, 'of before', ?)", k, "v" + k);
        for (int k = 0; k < KEYS; k += 10)
            cql.run("DELETE FROM t WHERE k = ?", k);
    }

    private static void check(Cql cql)
    {
        assertEquals(KEYS - KEYS / 10, cql.rows("SELECT k, v FROM t").size());
        for (int k = 0; k < KEYS; k += 33)
            assertEquals(k % 10 == 0 ? List.of() : List.of("v='v" + k + "'"), cql.texts("SELECT v FROM t WHERE k = ?", k));
    }

    /** The last round can end only when the read does. */
    private static void publishAndHold(Node node)
    {
        MoveFaults.holdRound(node, FilledTables.KEYSPACE, "t");
        assertFalse(sstables(node).isEmpty());
    }

    private static List<Path> sstables(Node node)
    {
        try (Stream<Path> files = Files.walk(node.base().resolve("data/" + FilledTables.KEYSPACE)))
        {
            return files.filter(file -> file.toString().endsWith("-Data.db")).collect(Collectors.toList());
        }
        catch (IOException | UncheckedIOException e)
        {
            throw new AssertionError("files come and go", e);
        }
    }

    private static void awaitNoSstables(Node node)
    {
        Await.untilAsserted(MoveOutTest.BOUND, () -> assertEquals(List.of(), sstables(node)));
    }

    /** All rows are in one sstable. */
    private static void awaitOneRound(Node node)
    {
        MoveOutTest.awaitReady(node, 1);
        Await.untilAsserted(MoveOutTest.BOUND, () -> assertEquals(1, sstables(node).size()));
    }

    @Test
    void aStoppedRoundLeavesNoSstables() throws IOException
    {
        try (Node node = node().start(); Cql cql = node.cql())
        {
            fill(cql);
            for (String direction : List.of("hold", "in"))
            {
                publishAndHold(node);
                node.direct(FilledTables.KEYSPACE, "t", direction);
                node.log().await("filled.t: 1 of 1 sstables are deleted, of a round that ended", MoveOutTest.BOUND);
                MoveFaults.release(node); // files stay while a read may have them
                awaitNoSstables(node);
                check(cql);
            }
            publishAndHold(node);
            node.nodetool("stop", "COMPACTION").success();
            node.log().await("filled.t: 1 of 1 sstables are deleted, of a round that ended", MoveOutTest.BOUND);
            MoveFaults.release(node);
            check(cql);
            node.direct(FilledTables.KEYSPACE, "t", "out"); // at once
            awaitOneRound(node);
            check(cql);
            node.direct(FilledTables.KEYSPACE, "t", "in");
            awaitNoSstables(node);
            check(cql);
            assertEquals(List.of(), node.log().errors());
        }
        Checkout.delete(Checkout.nodes().resolve(NAME));
    }

    @Test
    void aKilledRoundLeavesNoSstables() throws IOException
    {
        try (Node node = node().start(); Cql cql = node.cql())
        {
            fill(cql);
            publishAndHold(node);
            cql.run("ALTER TABLE t DROP u");
            cql.run("ALTER TABLE t ADD u text");
            node.killNine();
        }
        try (Node node = node().keep().start(); Cql cql = node.cql(FilledTables.KEYSPACE))
        {
            node.log().await("filled.t: 1 of 1 sstables are deleted, of a round that ended", MoveOutTest.BOUND);
            awaitOneRound(node);
            check(cql);
            assertEquals(List.of(), cql.rows("SELECT k FROM t WHERE u = 'of before' ALLOW FILTERING"));
            // killed behind the end of a round: nothing is taken back
            node.killNine();
        }
        try (Node node = node().keep().start(); Cql cql = node.cql(FilledTables.KEYSPACE))
        {
            awaitOneRound(node);
            check(cql);
            node.compact(FilledTables.KEYSPACE);
            check(cql);
            assertEquals(List.of(), node.log().errors());
        }
        Checkout.delete(Checkout.nodes().resolve(NAME));
    }

    /** What a compaction has made of the sstables is not taken for them. */
    @Test
    void aCompactionKeepsWhatItHas() throws IOException
    {
        try (Node node = node().start(); Cql cql = node.cql())
        {
            fill(cql);
            for (int round = 0; round < 2; round++)
            {
                publishAndHold(node);
                node.nodetool("compact", FilledTables.KEYSPACE, "t").success();
                check(cql);
                MoveFaults.release(node);
                node.direct(FilledTables.KEYSPACE, "t", "out"); // at once
                MoveOutTest.awaitReady(node, 1);
                check(cql);
                cql.run("INSERT INTO t (k, v) VALUES (1, 'v1')");
                for (int k = 0; k < KEYS; k += 10)
                    cql.run("DELETE FROM t WHERE k = ?", k);
            }
            assertEquals(List.of(), node.log().errors());
            node.killNine();
        }
        try (Node node = node().keep().start(); Cql cql = node.cql(FilledTables.KEYSPACE))
        {
            MoveOutTest.awaitReady(node, 1);
            check(cql);
        }
        Checkout.delete(Checkout.nodes().resolve(NAME));
    }
}
