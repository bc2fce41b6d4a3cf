/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.repair;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.cassiterite.nodetest.Await;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.MoveFaults;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;
import io.cassiterite.nodetest.Pause;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * M3: a repair streams into a table, and out of it, whose rows are in sstables already and in the engine still, which forgets them
 * next. What has come meanwhile stays, also over a kill, and both replicas answer the same.
 */
@Timeout(value = 1200, unit = TimeUnit.SECONDS)
class StreamWhileMovingTest
{
    private static final Duration BOUND = Duration.ofMinutes(3);
    private static final String TABLE = "wide";
    private static final int WRITES = 150;

    private static NodeBuilder moving(NodeBuilder node)
    {
        return MoveFaults.on(node.jvm("-Dcassiterite.move_rest_bytes=4000"));
    }

    @Test
    void toAndFromAnEngine()
    {
        try (Pair pair = Pair.engines("stream-moving", StreamWhileMovingTest::moving))
        {
            streamed(pair);
        }
    }

    @Test
    void toAndFromAStockPeer()
    {
        try (Pair pair = Pair.mixed("stream-moving-mixed", StreamWhileMovingTest::moving))
        {
            streamed(pair);
        }
    }

    private static void streamed(Pair pair)
    {
        Everything.diverge(pair, WRITES);
        Pause.millis(2_000); // what was written with a TTL of 1 s has expired
        String expected = answers(pair.second, ConsistencyLevel.QUORUM);
        assertNotEquals(expected, answers(pair.first, ConsistencyLevel.ONE));

        MoveFaults.holdRound(pair.first, Pair.KEYSPACE, TABLE);
        pair.both().forEach(node -> node.log().mark());
        assertTrue(Pair.repair(pair.second, "-dcpar", TABLE, "counted", "changed").success().contains("Repair completed successfully"));
        assertTrue(pair.second.log().grep("range\\(s\\) out of sync for " + TABLE).size() > 0);
        assertEquals(List.of(), pair.first.log().grep("pair.wide: they have left the engine"));
        assertSame(pair, expected);
        MoveFaults.release(pair.first);
        awaitReady(pair.first);
        assertSame(pair, expected);
        pair.assertInSync(TABLE, "counted", "changed");
        pair.first.killNine();
        pair.first.start();
        pair.awaitBoth();
        awaitReady(pair.first);
        pair.first.compact(Pair.KEYSPACE);
        assertSame(pair, expected);
        pair.assertInSync(TABLE, "counted", "changed");
        for (Node node : pair.both())
            assertEquals(List.of(), node.log().errors());
    }

    private static void awaitReady(Node node)
    {
        Await.until("it is ready", BOUND, () -> node.moves().contains("ready: "));
    }

    private static void assertSame(Pair pair, String expected)
    {
        for (Node node : pair.both())
            assertEquals(expected, answers(node, ConsistencyLevel.ONE), node.name());
    }

    /** At ONE by the node's own rows, which it prefers. */
    private static String answers(Node node, ConsistencyLevel consistency)
    {
        try (Cql cql = node.cql(Pair.KEYSPACE))
        {
            return Everything.answers(cql, consistency);
        }
    }
}
