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

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeTest;
import io.cassiterite.nodetest.Snapshots;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

/** Rows of a load get their entries, whatever index is built meanwhile. */
@Tag("cluster")
@NodeTest(own = true)
class IndexLoadTest
{
    private static final String KEYSPACE = "indexloadtest";
    private static final int LOADED_ROWS = 6_000;
    private static final int LOADED_VALUE_BYTES = 10_000;
    /** At 1 MiB/s the build of their index lasts more than half a minute: long after the load. */
    private static final int BESIDE_ROWS = 4_000;

    /** A load that began before the index knows nothing of it, and goes on behind the scan of the build. */
    @Test
    void anIndexMadeDuringALoadFindsItsRows(Node node, Cql cql)
    {
        cql.run("CREATE TABLE behind (k int PRIMARY KEY, v int, filler text) WITH memtable = 'cassiterite'");
        String filler = "x".repeat(LOADED_VALUE_BYTES);
        cql.runEach("INSERT INTO behind (k, v, filler) VALUES (?, ?, ?)", IntStream.range(0, LOADED_ROWS),
                    k -> new Object[]{ k, k % 4, filler });
        Path saved = Snapshots.take(node, KEYSPACE, "behind", "saved");
        for (int round = 0; round < 3; round++)
        {
            cql.run("TRUNCATE behind");
            CompletableFuture<String> load = CompletableFuture.supplyAsync(() -> node.snapshotLoad(KEYSPACE, "behind", saved).success());
            Indexes.await(Duration.ofMinutes(4), () -> !cql.rows("SELECT k FROM behind LIMIT 1").isEmpty());
            Indexes.index(cql, KEYSPACE, "behind");
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
        Indexes.index(cql, KEYSPACE, "beside");
        String filler = "x".repeat(LOADED_VALUE_BYTES);
        cql.runEach("INSERT INTO beside (k, v, w, filler) VALUES (?, 1, 2, ?)", IntStream.range(0, BESIDE_ROWS),
                    k -> new Object[]{ k, filler });
        Path saved = Snapshots.take(node, KEYSPACE, "beside", "saved");
        node.nodetool("setcompactionthroughput", "1").success();
        try
        {
            cql.run("CREATE INDEX beside_w ON beside (w)");
            node.snapshotLoad(KEYSPACE, "beside", saved).success();
            assertFalse(Indexes.isBuilt(cql, KEYSPACE, "beside_w"), "the build was over before the load");
            assertEquals(BESIDE_ROWS, cql.rows("SELECT k FROM beside WHERE v = 1").size());
        }
        finally
        {
            node.nodetool("setcompactionthroughput", "0").success();
        }
        Indexes.awaitBuilt(cql, KEYSPACE, "beside_w");
        assertEquals(BESIDE_ROWS, cql.rows("SELECT k FROM beside WHERE w = 2").size());
        assertEquals(List.of(), node.log().grep("indexloadtest.beside lacks entries"));
        cql.run("DROP TABLE beside");
    }
}
