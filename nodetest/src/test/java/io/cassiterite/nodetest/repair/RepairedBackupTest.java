/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.repair;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.Snapshots;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** A snapshot and the incremental backups since restore also what a repair has streamed, from an engine and from a stock peer. */
@Timeout(value = 1200, unit = TimeUnit.SECONDS)
class RepairedBackupTest
{
    private static final Duration BOUND = Duration.ofMinutes(2);
    private static final int ROWS = 300;

    @Test
    void whatAnEngineStreams()
    {
        try (Pair pair = Pair.engines("repaired-backup", node -> node.yaml("incremental_backups", "true")))
        {
            restored(pair, pair.first, pair.second);
        }
    }

    /** Its sstables land beside the engine, and move in. */
    @Test
    void whatAStockPeerStreams()
    {
        try (Pair pair = Pair.mixed("repaired-backup-mixed", node -> node.yaml("incremental_backups", "true")))
        {
            restored(pair, pair.second, pair.first);
        }
    }

    private static void restored(Pair pair, Node sender, Node receiver)
    {
        try (Cql cql = sender.cql(Pair.KEYSPACE))
        {
            cql.run("CREATE TABLE t (k int PRIMARY KEY, v text) WITH read_repair = 'NONE' AND speculative_retry = 'NEVER'"
                    + " AND memtable = 'cassiterite'");
            pair.awaitBoth();
            insert(cql, 0);
        }
        Path snapshot = Snapshots.take(receiver, Pair.KEYSPACE, "t", "kept");
        pair.without(receiver, () -> {
            try (Cql cql = sender.cql(Pair.KEYSPACE))
            {
                insert(cql, ROWS);
                cql.run("DELETE FROM t WHERE k = 7");
            }
        });
        assertEquals(ROWS, rows(receiver));
        sender.nodetool("repair", "--full", Pair.KEYSPACE, "t").success();
        assertEquals(2 * ROWS - 1, rows(receiver));
        receiver.awaitMovedIn(Pair.KEYSPACE, BOUND);
        receiver.flush(Pair.KEYSPACE, "t");
        receiver.compact(Pair.KEYSPACE, "t");
        try (Cql cql = receiver.cql(Pair.KEYSPACE))
        {
            cql.run("TRUNCATE t");
        }
        assertEquals(0, rows(receiver));
        Path folder = snapshot.getParent().getParent().getParent();
        receiver.snapshotLoad(Pair.KEYSPACE, "t", snapshot).success();
        assertEquals(ROWS, rows(receiver));
        receiver.snapshotLoad(Pair.KEYSPACE, "t", folder.resolve("backups/.cassiterite")).success();
        assertEquals(2 * ROWS - 1, rows(receiver));
    }

    private static void insert(Cql cql, int from)
    {
        cql.runEach("INSERT INTO t (k, v) VALUES (?, ?)", IntStream.range(from, from + ROWS), k -> new Object[]{ k, "value " + k });
    }

    /** As the node has them itself. */
    private static int rows(Node node)
    {
        try (Cql cql = node.cql(Pair.KEYSPACE))
        {
            return cql.localRows("SELECT k FROM t").size();
        }
    }
}
