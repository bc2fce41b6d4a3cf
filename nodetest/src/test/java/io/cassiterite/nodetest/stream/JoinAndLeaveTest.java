/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.stream;

import java.time.Duration;
import java.util.List;
import java.util.UUID;

import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.servererrors.InvalidConfigurationInQueryException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.cassiterite.nodetest.Checkout;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;
import io.cassiterite.nodetest.Pause;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Nodes with the plug-in join, are replaced and leave; what they stream is what there was. */
@Tag("cluster")
@Timeout(1200)
class JoinAndLeaveTest
{
    static NodeBuilder node(String name, String address)
    {
        return Node.named(name).address(address).ofChangingRing();
    }

    @Test
    void aNodeJoinsIsReplacedAndLeaves()
    {
        try (Node first = node("join-1", "127.0.0.1").start(); Cql cql = first.cql())
        {
            StreamedTables both = StreamedTables.create(first, cql, "both", 2);
            StreamedTables single = StreamedTables.create(first, cql, "single", 1);
            List<String> inBoth = both.contents(cql);
            List<String> inSingle = single.contents(cql);

            try (Node second = node("join-2", "127.0.0.2").joining(first).start())
            {
                joined(first, second, both, inBoth, single, inSingle);
                Peers.kill(second, first);
                try (Node third = node("join-3", "127.0.0.3").joining(first).replacing(second).start())
                {
                    replaced(first, third, both, inBoth);
                    left(first, third, both, inBoth);
                }
            }
        }
        Checkout.delete(Checkout.nodes().resolve("join-2"));
    }

    private static void joined(Node first, Node second, StreamedTables both, List<String> inBoth, StreamedTables single,
                               List<String> inSingle)
    {
        try (Cql cql = second.cql())
        {
            assertStreams(cql, "IN");
            both.assertWentWhole(cql);
            assertTakenAsItCame(cql, "grown");
            both.assertContents(inBoth, cql);
            single.assertContents(inSingle, cql);
        }
        StreamFolders.awaitEmpty(first, "both", "single");
        StreamFolders.awaitEmpty(second, "both", "single");
        // keyspaces with one replica are dropped, so that the node can be lost
        try (Cql cql = first.cql())
        {
            cql.run("DROP KEYSPACE single");
        }
        Peers.kill(first, second);
        try (Cql cql = second.cql())
        {
            both.assertContents(inBoth, cql);
        }
        first.start();
    }

    private static void replaced(Node first, Node third, StreamedTables both, List<String> inBoth)
    {
        Peers.kill(first, third);
        try (Cql cql = third.cql())
        {
            assertStreams(cql, "IN");
            both.assertWentWhole(cql);
            both.assertContents(inBoth, cql);
        }
        first.start();
    }

    private static void left(Node first, Node third, StreamedTables both, List<String> inBoth)
    {
        Peers.awaitUp(first, third);
        Peers.awaitUp(third, first);
        try (Cql cql = third.cql())
        {
            leaveOneReplica(cql);
            both.fillMore(cql, 1);
            List<String> expected = both.contents(cql);
            assertTrue(expected.containsAll(inBoth));
            third.nodetool("decommission", "--force").success();
            try (Cql rest = first.cql())
            {
                both.assertContents(expected, rest);
                assertStreams(rest, "IN");
            }
        }
        StreamFolders.awaitEmpty(first, "both");
        StreamFolders.awaitEmpty(third, "both");
    }

    /** Cassandra refuses it until gossip shows every node as normal. */
    private static void leaveOneReplica(Cql cql)
    {
        long deadlineNanos = System.nanoTime() + Duration.ofSeconds(90).toNanos();
        while (true)
        {
            try
            {
                cql.run("ALTER KEYSPACE both WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
                return;
            }
            catch (InvalidConfigurationInQueryException e)
            {
                if (System.nanoTime() > deadlineNanos)
                    throw e;
                Pause.millis(1000);
            }
        }
    }

    /** The virtual table has the shipments, all done. */
    static void assertStreams(Cql cql, String direction)
    {
        List<Row> streams = cql.localRows("SELECT * FROM cassiterite.streams");
        assertTrue(streams.stream().anyMatch(row -> direction.equals(row.getString("direction_name"))), streams.toString());
        for (Row row : streams)
        {
            assertEquals("DONE", row.getString("state_text"), row.getFormattedContents());
            assertDoesNotThrow(() -> UUID.fromString(row.getString("plan_id")), row.getFormattedContents());
            assertEquals(row.getLong("expected_files"), row.getLong("whole_files") + row.getLong("row_files") + 1,
                         row.getFormattedContents());
        }
    }

    /** Nodes that got columns one by one, and a node that gets them all at once, give them the same ids. */
    private static void assertTakenAsItCame(Cql cql, String table)
    {
        List<Row> streams = cql.localRows("SELECT table_name, rewritten_bytes FROM cassiterite.streams");
        streams.removeIf(row -> !table.equals(row.getString("table_name")));
        for (Row row : streams)
            assertEquals(0, row.getLong("rewritten_bytes"), row.getFormattedContents());
    }
}
