/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.stream;

import java.util.Set;
import java.util.TreeSet;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Whole files that a table receives beside rows of its own are merged with them, at once and after a restart. */
@Tag("cluster")
@Timeout(1200)
class RebuildOverDataTest
{
    private static final String KEYSPACE = "over";

    @Test
    void wholeFilesJoinWhatIsThere()
    {
        try (Node first = node("over-1", "127.0.0.1").start();
             Node second = node("over-2", "127.0.0.2").joining(first).yaml("auto_bootstrap", "false")
                                                      .jvm("-Dcassandra.ring_delay_ms=15000").build())
        {
            Set<String> expected;
            StreamedTables tables;
            try (Cql cql = first.cql())
            {
                tables = StreamedTables.create(first, cql, KEYSPACE, 2);
                second.start();
                Peers.awaitUp(first, second);
                second.nodetool("rebuild", "-ks", KEYSPACE).success();

                Peers.kill(second, first);
                tables.fillMore(cql, 1);
                expected = contents(tables, first);
            }
            first.flush(KEYSPACE);
            first.compact(KEYSPACE);
            second.start();
            Peers.awaitUp(second, first);
            Peers.kill(first, second);
            try (Cql cql = second.cql())
            {
                tables.fillMore(cql, 2);
            }
            expected.addAll(contents(tables, second));

            first.start();
            Peers.awaitUp(first, second);
            long before = wholeBytes(second);
            second.nodetool("rebuild", "-ks", KEYSPACE).success();
            assertTrue(wholeBytes(second) > before, "nothing went whole");
            Peers.kill(first, second);
            assertEquals(String.join("\n", expected), String.join("\n", contents(tables, second)));
            first.start();
            Peers.awaitUp(first, second);
            second.restart();
            Peers.awaitUp(second, first);
            Peers.kill(first, second);
            assertEquals(String.join("\n", expected), String.join("\n", contents(tables, second)));
        }
    }

    private static NodeBuilder node(String name, String address)
    {
        // Cassandra remembers what a rebuild has brought, unless the node is killed before it has synced that.
        return JoinAndLeaveTest.node(name, address).yaml("hinted_handoff_enabled", "false")
                               .jvm("-Dcassandra.reset_bootstrap_progress=true");
    }

    private static Set<String> contents(StreamedTables tables, Node node)
    {
        try (Cql cql = node.cql())
        {
            return new TreeSet<>(tables.contents(cql));
        }
    }

    private static long wholeBytes(Node receiver)
    {
        try (Cql cql = receiver.cql())
        {
            return cql.localRows("SELECT direction_name, whole_bytes FROM cassiterite.streams").stream()
                      .filter(row -> "IN".equals(row.getString(0))).mapToLong(row -> row.getLong(1)).sum();
        }
    }
}
