/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.commitlog;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.cassiterite.nodetest.Await;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;
import io.cassiterite.nodetest.Pause;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What a replay brings into engine tables whose writes are in the commit log, too (danger M12). */
@Timeout(900)
class LoggedReplayTest
{
    private static final int MEBIBYTES = 6;
    /** The first segment that an idle table holds, the one in use, one that is ready, and one on its way. */
    private static final int SEGMENTS_WITH_AN_IDLE_TABLE = 4;
    /** Longer than between two markers of a commit log that is synced periodically. */
    private static final int MARKED_MILLIS = 1000;
    private static final String STOCK = "\n  configurations:\n    skiplist:\n      class_name: SkipListMemtable\n"
                                        + "    default:\n      inherits: skiplist\n    cassiterite:\n      inherits: skiplist";

    @Test
    void aRowDoesNotComeBackFromASegmentThatAnIdleTableHasKept()
    {
        try (Node node = LoggedNode.named("loggedreplay-idle").start())
        {
            try (Cql cql = node.cql())
            {
                cql.freshKeyspace("logged");
            }
            try (Cql cql = node.cql("logged"))
            {
                cql.run("CREATE TABLE idle (k int PRIMARY KEY, v text)");
                cql.run("CREATE TABLE t (k int PRIMARY KEY, v text) WITH memtable = 'cassiterite' AND gc_grace_seconds = 0");
                cql.run("INSERT INTO idle (k, v) VALUES (1, 'stock')");
                cql.run("INSERT INTO t (k, v) VALUES (1, 'deleted')");
                cql.run("INSERT INTO t (k, v) VALUES (2, 'kept')");
                Path first = LoggedNode.segments(node).get(0);
                LoggedNode.fill(cql, "t", MEBIBYTES);
                cql.run("DELETE FROM t WHERE k = 1");
                LoggedNode.fill(cql, "t", MEBIBYTES);
                LoggedNode.awaitSegments(node, SEGMENTS_WITH_AN_IDLE_TABLE);
                assertTrue(Files.exists(first), "the idle table's segment");
                Pause.millis(2 * MARKED_MILLIS); // gc_grace_seconds has passed
                node.flush("logged", "t");
                node.compact("logged", "t");
            }
            node.killNine();
            node.start();
            try (Cql cql = node.cql("logged"))
            {
                assertEquals(List.of("k=2, v='kept'"), cql.texts("SELECT * FROM t WHERE k IN (1, 2)"));
                assertEquals(List.of("k=1, v='stock'"), cql.texts("SELECT * FROM idle"));
            }
        }
    }

    @Test
    void segmentsAreFreedThoughNothingIsFlushed()
    {
        try (Node node = LoggedNode.named("loggedreplay-freed").start())
        {
            try (Cql cql = node.cql())
            {
                cql.freshKeyspace("logged");
            }
            try (Cql cql = node.cql("logged"))
            {
                cql.run("CREATE TABLE t (k int PRIMARY KEY, v text) WITH memtable = 'cassiterite'");
                cql.run("CREATE TABLE quiet (k int PRIMARY KEY, v text) WITH memtable = 'cassiterite'");
                cql.run("INSERT INTO quiet (k, v) VALUES (1, 'holds nothing')");
                Path first = LoggedNode.segments(node).get(0);
                LoggedNode.fill(cql, "t", 3 * MEBIBYTES);
                // Cassandra's own tables hold segments until they are flushed
                for (String keyspace : List.of("system", "system_schema", "system_auth", "system_distributed", "system_traces"))
                    node.flush(keyspace);
                Await.until("the quiet table's segment is gone", LoggedNode.BOUND, () -> !Files.exists(first));
                LoggedNode.awaitSegments(node, SEGMENTS_WITH_AN_IDLE_TABLE);
            }
        }
    }

    @Test
    void whatAStartWithoutThePlugInHasWrittenIsReplayed()
    {
        NodeBuilder builder = LoggedNode.named("loggedreplay-stock");
        try (Node node = builder.start())
        {
            try (Cql cql = node.cql())
            {
                cql.freshKeyspace("logged");
            }
            try (Cql cql = node.cql("logged"))
            {
                cql.run("CREATE TABLE t (k int PRIMARY KEY, v text) WITH memtable = 'cassiterite'");
                cql.run("INSERT INTO t (k, v) VALUES (1, 'of the engine')");
            }
            Pause.millis(MARKED_MILLIS);
            node.killNine();
        }
        try (Node stock = Node.named("loggedreplay-stock").keep().heap("512m").stock().yaml("memtable", STOCK).start();
             Cql cql = stock.cql("logged"))
        {
            cql.run("INSERT INTO t (k, v) VALUES (2, 'of sstables')");
            Pause.millis(MARKED_MILLIS);
            stock.killNine();
        }
        try (Node node = LoggedNode.named("loggedreplay-stock").keep().start(); Cql cql = node.cql("logged"))
        {
            assertEquals(List.of("k=1, v='of the engine'", "k=2, v='of sstables'"), cql.texts("SELECT * FROM t"));
        }
    }

    /** Its writes are in segments that have the engine's writes to another table. */
    @Test
    void aTableThatEntersAfterAKillHasWhatOnlyTheLogHas()
    {
        String second = "memtable.configurations.other.inherits";
        try (Node node = LoggedNode.named("loggedreplay-enters").yaml(second, "trie").start())
        {
            try (Cql cql = node.cql())
            {
                cql.freshKeyspace("logged");
            }
            try (Cql cql = node.cql("logged"))
            {
                cql.run("CREATE TABLE t (k int PRIMARY KEY, v text) WITH memtable = 'cassiterite'");
                cql.run("CREATE TABLE entering (k int PRIMARY KEY, v text) WITH memtable = 'other'");
                cql.run("INSERT INTO t (k, v) VALUES (1, 'of the engine')");
                cql.run("INSERT INTO entering (k, v) VALUES (2, 'of the log')");
            }
            Pause.millis(MARKED_MILLIS);
            node.killNine();
        }
        try (Node node = LoggedNode.named("loggedreplay-enters").keep().yaml(second, "cassiterite").start();
             Cql cql = node.cql("logged"))
        {
            assertEquals(List.of("k=2, v='of the log'"), cql.texts("SELECT * FROM entering"));
            assertEquals(List.of("k=1, v='of the engine'"), cql.texts("SELECT * FROM t"));
        }
    }
}
