/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.stream;

import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.cassiterite.nodetest.Await;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;
import io.cassiterite.nodetest.Pause;
import io.cassiterite.nodetest.StreamFaults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A fault in the middle of a stream leaves nothing behind, and the log names it; the next try sends less. */
@Tag("cluster")
@Timeout(1200)
class FaultyStreamTest
{
    private static final Duration BOUND = Duration.ofSeconds(60);
    private static final Pattern RETAINED = Pattern.compile("retained/1:\\w");
    private static final long GOSSIP_MS = 4000;

    /** A second node that joins without data; it has time for gossip with its peer after it was killed. */
    static NodeBuilder joining(String name, Node first)
    {
        return JoinAndLeaveTest.node(name, "127.0.0.2").joining(first).yaml("auto_bootstrap", "false")
                               .jvm("-Dcassandra.ring_delay_ms=15000");
    }

    @Test
    void aFlippedBitIsRefusedAndTheNextTryGoesOn()
    {
        try (Node first = StreamFaults.on(JoinAndLeaveTest.node("flip-1", "127.0.0.1")).start();
             Node second = joining("flip-2", first).build();
             Cql cql = first.cql())
        {
            StreamedTables tables = StreamedTables.create(first, cql, "flipped", 2);
            List<String> expected = tables.contents(cql);
            second.start();
            Peers.awaitUp(first, second);

            // of twelve files, a third are rows files, which are not retained, and two are sent at a time: one whole
            // file was received by then
            StreamFaults.order(first, "flip 7");
            assertNotEquals(0, second.nodetool("rebuild", "-ks", "flipped").exitCode());
            String refusal = second.log().await("was damaged on its way from", BOUND);
            assertTrue(refusal.matches(".*\\.sst of flipped\\..*"), refusal);
            StreamFolders.awaitEmpty(first, "flipped");
            StreamFolders.awaitEmpty(second, "flipped");

            awaitRetained(first);
            second.nodetool("rebuild", "-ks", "flipped").success();
            Peers.kill(first, second);
            try (Cql rest = second.cql())
            {
                tables.assertContents(expected, rest);
                assertSomeRetained(rest);
            }
        }
    }

    /** The sender has heard what its peer still has. */
    private static void awaitRetained(Node sender)
    {
        Await.until("files are retained, by gossip", BOUND,
                    () -> RETAINED.matcher(sender.nodetool("gossipinfo").success()).find());
    }

    private static void assertSomeRetained(Cql cql)
    {
        long retained = cql.localRows("SELECT retained_bytes FROM cassiterite.streams").stream().mapToLong(row -> row.getLong(0)).sum();
        assertTrue(retained > 0, "all was sent again");
    }

    @Test
    void aReceiverThatDiesTakesAllOrNothing()
    {
        try (Node first = JoinAndLeaveTest.node("kill-1", "127.0.0.1").start();
             Node second = StreamFaults.on(joining("kill-2", first)).build();
             Cql cql = first.cql())
        {
            StreamedTables tables = StreamedTables.create(first, cql, "killed", 2);
            List<String> expected = tables.contents(cql);
            second.start();
            for (int file = 1; file <= 5; file += 2)
            {
                Peers.awaitUp(first, second);
                StreamFaults.order(second, "halt-received " + file);
                second.nodetool("rebuild", "-ks", "killed");
                second.awaitEnd(BOUND);
                StreamFolders.awaitEmpty(first, "killed");
                second.start();
                StreamFolders.awaitEmpty(second, "killed");
            }
            Peers.awaitUp(first, second);
            awaitRetained(first);
            second.nodetool("rebuild", "-ks", "killed").success();
            Peers.kill(first, second);
            try (Cql rest = second.cql())
            {
                tables.assertContents(expected, rest);
                assertSomeRetained(rest);
            }
        }
    }

    @Test
    void aSenderThatDiesLeavesNothing()
    {
        try (Node first = StreamFaults.on(JoinAndLeaveTest.node("death-1", "127.0.0.1")).start();
             Node second = joining("death-2", first).build();
             Cql cql = first.cql())
        {
            StreamedTables tables = StreamedTables.create(first, cql, "orphaned", 2);
            List<String> expected = tables.contents(cql);
            second.start();
            Peers.awaitUp(first, second);
            StreamFaults.order(first, "halt-sent 3");
            assertNotEquals(0, second.nodetool("rebuild", "-ks", "orphaned").exitCode());
            first.awaitEnd(BOUND);
            StreamFolders.awaitEmpty(second, "orphaned");
            first.start();
            assertEquals(List.of(), StreamFolders.leftovers(first, "orphaned"));
            Pause.millis(GOSSIP_MS);
            Peers.awaitUp(first, second);
            second.nodetool("rebuild", "-ks", "orphaned").success();
            Peers.kill(first, second);
            try (Cql rest = second.cql())
            {
                tables.assertContents(expected, rest);
            }
        }
    }
}
