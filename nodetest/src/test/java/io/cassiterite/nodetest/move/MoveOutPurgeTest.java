/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.move;

import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.cassiterite.nodetest.Checkout;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * M2: deletions in sstables hide older rows that are in the engine. These leave for an sstable while the others are compacted: the
 * compaction does not know that sstable, and finds nothing in the engine any more.
 */
@Timeout(900)
class MoveOutPurgeTest
{
    private static final String NAME = "purgedout";
    private static final int KEYS = 4_000;

    @Test
    void aCompactionThatBeganBeforeKeepsWhatHidesTheRows() throws IOException, InterruptedException
    {
        try (Node node = MoveOutTest.engine(NAME).start(); Cql cql = node.cql())
        {
            cql.freshKeyspace(FilledTables.KEYSPACE);
            cql.run("USE " + FilledTables.KEYSPACE);
            cql.run("CREATE TABLE t (k int PRIMARY KEY, v text, w text) WITH gc_grace_seconds = 0 AND memtable = '" + EnteringNode.KEY
                    + "' AND compaction = {'class': 'SizeTieredCompactionStrategy', 'min_threshold': 32}");
            for (int round = 0; round < 2; round++)
            {
                deleteAll(cql);
                node.direct(FilledTables.KEYSPACE, "t", "out");
                MoveOutTest.awaitReady(node, 1);
                node.direct(FilledTables.KEYSPACE, "t", "hold");
            }
            for (int k = 0; k < KEYS; k++)
                cql.run("INSERT INTO t (k, v) VALUES (?, 'deleted') USING TIMESTAMP 1000", k);
            assertEquals(0, seen(cql));
            node.nodetool("setcompactionthroughput", "1").success();
            Thread compaction = new Thread(() -> node.nodetool("compact", FilledTables.KEYSPACE, "t"));
            compaction.start();
            node.log().await("Compacting .*/filled/t-", MoveOutTest.BOUND);
            node.log().mark();
            node.direct(FilledTables.KEYSPACE, "t", "out");
            node.log().await("filled.t: they have left the engine in", MoveOutTest.BOUND);
            assertTrue(compaction.isAlive(), "the compaction has ended too early for this test");
            node.nodetool("setcompactionthroughput", "0").success();
            compaction.join();
            MoveOutTest.awaitReady(node, 1);
            assertEquals(0, seen(cql));
            node.direct(FilledTables.KEYSPACE, "t", "hold");
            node.compact(FilledTables.KEYSPACE);
            assertEquals(0, seen(cql));
            assertEquals(List.of(), node.log().errors());
        }
        Checkout.delete(Checkout.nodes().resolve(NAME));
    }

    private static int seen(Cql cql)
    {
        return cql.rows("SELECT k FROM t WHERE v = 'deleted' ALLOW FILTERING").size();
    }

    /** With so much beside the deletions that a compaction takes its time. */
    private static void deleteAll(Cql cql)
    {
        Random random = new Random(3);
        for (int k = 0; k < KEYS; k++)
        {
            String noise = Stream.generate(() -> Long.toString(random.nextLong(), 36)).limit(300).reduce("", String::concat);
            cql.run("DELETE v FROM t USING TIMESTAMP 2000 WHERE k = ?", k);
            cql.run("INSERT INTO t (k, w) VALUES (?, ?) USING TIMESTAMP 3000", k, noise);
        }
    }
}
