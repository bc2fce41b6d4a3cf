/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.stream;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;
import io.cassiterite.nodetest.Output;
import io.cassiterite.nodetest.Pause;
import io.cassiterite.nodetest.StreamHolds;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A peer that hangs in the middle of a stream, its connections open: Cassandra's timeouts apply, and no shipment is
 * taken in part.
 */
@Tag("cluster")
@Timeout(1200)
class HungPeerTest
{
    private static final Duration BOUND = Duration.ofSeconds(60);
    private static final long HANG_MS = 8000;

    /** With all timeouts and keep-alives that Cassandra has for streams set to seconds. */
    private static NodeBuilder withShortTimeouts(NodeBuilder node)
    {
        return StreamHolds.on(node).yaml("streaming_keep_alive_period", "1s").yaml("stream_transfer_task_timeout", "5s")
                          .yaml("internode_streaming_tcp_user_timeout", "5s");
    }

    private static CompletableFuture<Output> rebuild(Node node)
    {
        return CompletableFuture.supplyAsync(() -> node.nodetool("rebuild", "-ks", "hung"));
    }

    @Test
    void aSenderGivesUpOnAReceiverThatHangs()
    {
        try (Node first = withShortTimeouts(JoinAndLeaveTest.node("hung-1", "127.0.0.1")).start();
             Node second = withShortTimeouts(FaultyStreamTest.joining("hung-2", first)).build();
             Cql cql = first.cql())
        {
            StreamedTables tables = StreamedTables.create(first, cql, "hung", 2);
            List<String> expected = tables.contents(cql);
            second.start();
            Peers.awaitUp(first, second);
            StreamHolds.order(second, "received 2");
            CompletableFuture<Output> rebuild = rebuild(second);
            StreamHolds.awaitHeld(second, rebuild);
            second.freeze();
            StreamHolds.release(second);
            first.log().await("timeout with .*127.0.0.2", BOUND);
            // the space is released while the peer still hangs
            StreamFolders.awaitEmpty(first, "hung");
            assertState(cql, "FAILED");

            second.thaw();
            assertNotEquals(0, rebuild.join().exitCode(), rebuild.join()::text);
            StreamFolders.awaitEmpty(second, "hung");
            succeeds(first, second, tables, expected);
        }
    }

    /** Cassandra reads without a timeout. */
    @Test
    void aReceiverWaitsForASenderThatHangsUntilThatDies()
    {
        try (Node first = withShortTimeouts(JoinAndLeaveTest.node("stuck-1", "127.0.0.1")).start();
             Node second = withShortTimeouts(FaultyStreamTest.joining("stuck-2", first)).build();
             Cql cql = first.cql())
        {
            StreamedTables tables = StreamedTables.create(first, cql, "hung", 2);
            List<String> expected = tables.contents(cql);
            second.start();
            Peers.awaitUp(first, second);
            CompletableFuture<Output> rebuild = hang(first, second);
            first.killNine();
            assertNotEquals(0, rebuild.join().exitCode(), rebuild.join()::text);
            StreamFolders.awaitEmpty(second, "hung");
            try (Cql rest = second.cql())
            {
                assertState(rest, "FAILED");
            }

            first.start();
            Pause.millis(HANG_MS);
            Peers.awaitUp(first, second);
            succeeds(first, second, tables, expected);
        }
    }

    /** Stops the sender before its third file. */
    private static CompletableFuture<Output> hang(Node sender, Node receiver)
    {
        StreamHolds.order(sender, "sent 3");
        CompletableFuture<Output> rebuild = rebuild(receiver);
        StreamHolds.awaitHeld(sender, rebuild);
        sender.freeze();
        StreamHolds.release(sender);
        Pause.millis(HANG_MS);
        assertFalse(rebuild.isDone(), () -> rebuild.join().text());
        return rebuild;
    }

    private static void assertState(Cql cql, String state)
    {
        List<String> states = cql.localRows("SELECT state_text FROM cassiterite.streams").stream()
                                 .map(row -> row.getString("state_text")).distinct().toList();
        assertTrue(states.contains(state), states.toString());
        assertFalse(states.contains("DONE"), states.toString());
    }

    private static void succeeds(Node first, Node second, StreamedTables tables, List<String> expected)
    {
        Peers.awaitUp(first, second);
        Peers.awaitUp(second, first);
        second.nodetool("rebuild", "-ks", "hung").success();
        Peers.kill(first, second);
        try (Cql rest = second.cql())
        {
            tables.assertContents(expected, rest);
        }
    }
}
