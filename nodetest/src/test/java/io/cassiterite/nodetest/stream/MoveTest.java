/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.stream;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;
import io.cassiterite.nodetest.Output;
import io.cassiterite.nodetest.StreamHolds;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A node with one token goes to another place in the ring, gaining data, then losing some; netstats shows the progress. */
@Tag("cluster")
@Timeout(1200)
class MoveTest
{
    private static final String OPERATION = "Relocation";

    /**
     * The first node cuts its files at its own tokens. Between them and those of the second node there is no partition, so
     * that what the second one gains lies in whole files.
     */
    private static final String[] FIRST = { "0", "9000000000000000000" };
    private static final String SECOND = "-9223372036854775000";
    private static final String THERE = "-1";
    private static final String BACK = "-5000000000000000000";

    /** A node that holds streams, with these tokens. */
    static NodeBuilder node(String name, String address, String... tokens)
    {
        return StreamHolds.on(JoinAndLeaveTest.node(name, address)).yaml("num_tokens", Integer.toString(tokens.length))
                          .yaml("initial_token", "'" + String.join(",", tokens) + "'");
    }

    @Test
    void aNodeMovesThereAndBack()
    {
        try (Node first = node("move-1", "127.0.0.1", FIRST).start(); Cql cql = first.cql())
        {
            // so that nothing but the tables below moves
            cql.run("ALTER KEYSPACE system_auth WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 2}");
            StreamedTables single = StreamedTables.create(first, cql, "moved", 1);
            StreamedTables both = StreamedTables.create(first, cql, "stayed", 2);
            List<String> inSingle = single.contents(cql);
            List<String> inBoth = both.contents(cql);
            try (Node second = node("move-2", "127.0.0.2", SECOND).joining(first).start(); Cql other = second.cql())
            {
                Peers.awaitUp(second, first);
                gains(first, second, THERE);
                single.assertWentWhole(other);
                assertSame(first, second, single, inSingle);

                single.fillMore(cql, 1);
                List<String> more = single.contents(cql);
                assertTrue(more.containsAll(inSingle));
                second.nodetool("move", BACK).success();
                assertSame(first, second, single, more);
                both.assertContents(inBoth, other);
                NetStats.assertFulfilled(cql, OPERATION);
                NetStats.assertFulfilled(other, OPERATION);
                JoinAndLeaveTest.assertStreams(cql, "IN");
                JoinAndLeaveTest.assertStreams(other, "OUT");
            }
        }
    }

    private static void gains(Node first, Node second, String token)
    {
        StreamHolds.order(second, "received 1");
        CompletableFuture<Output> move = CompletableFuture.supplyAsync(() -> second.nodetool("move", token));
        StreamHolds.awaitHeld(second, move);
        NetStats begun = NetStats.single(second, true);
        assertFalse(begun.isComplete(), begun.toString());
        assertTrue(begun.files >= 1 && begun.bytes > 0, begun.toString());
        assertTrue(begun.filesExpected > 2, begun.toString());
        NetStats sent = NetStats.single(first, false);
        assertEquals(begun.filesExpected, sent.filesExpected);
        assertEquals(begun.bytesExpected, sent.bytesExpected);

        StreamHolds.order(second, "received " + (begun.filesExpected - 1));
        StreamHolds.awaitHeld(second, move);
        NetStats ended = NetStats.single(second, true);
        assertTrue(ended.isComplete(), ended.toString());
        assertEquals(begun.filesExpected, ended.filesExpected);
        assertEquals(begun.bytesExpected, ended.bytesExpected);
        StreamHolds.release(second);
        move.join().success();
    }

    /** Each node answers for both; rows that a node still has of ranges that it lost do not matter. */
    private static void assertSame(Node first, Node second, StreamedTables tables, List<String> expected)
    {
        StreamFolders.awaitEmpty(first, "moved");
        StreamFolders.awaitEmpty(second, "moved");
        for (Node node : List.of(first, second))
            try (Cql cql = node.cql())
            {
                tables.assertContents(expected, cql);
            }
        for (Node node : List.of(first, second))
            node.nodetool("cleanup", "moved").success();
        for (Node node : List.of(first, second))
            try (Cql cql = node.cql())
            {
                tables.assertContents(expected, cql);
            }
    }
}
