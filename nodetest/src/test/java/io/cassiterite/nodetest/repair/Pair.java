/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.repair;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;

import io.cassiterite.nodetest.Await;
import io.cassiterite.nodetest.Checkout;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;
import io.cassiterite.nodetest.Output;
import io.cassiterite.nodetest.Ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Two replicas of everything: a node with the engine, and one that is the same or stock; on a stock node the memtable
 * configuration 'cassiterite' is a trie memtable. No hints, so that a node that was down lacks what was written
 * meanwhile; a node that is asked for one replica's rows answers with its own.
 */
final class Pair implements AutoCloseable
{
    static final String KEYSPACE = "pair";

    private static final Duration BOUND = Duration.ofSeconds(240);
    private static final String STOCK_MEMTABLES = "\n  configurations:"
                                                  + "\n    skiplist:\n      class_name: SkipListMemtable"
                                                  + "\n    trie:\n      class_name: TrieMemtable"
                                                  + "\n    default:\n      inherits: skiplist"
                                                  + "\n    cassiterite:\n      class_name: TrieMemtable";

    private static final Path RACKDC = Checkout.root().resolve("nodetest/src/main/resources/rackdc.properties");

    final Node first;
    final Node second;

    private Pair(Node first, Node second)
    {
        this.first = first;
        this.second = second;
    }

    /** @param name of the nodes' folders */
    static Pair mixed(String name)
    {
        return mixed(name, node -> node);
    }

    /** @param more sets up each of the nodes */
    static Pair mixed(String name, UnaryOperator<NodeBuilder> more)
    {
        return start(name, true, more);
    }

    static Pair engines(String name)
    {
        return engines(name, node -> node);
    }

    /** @param more sets up each of the nodes */
    static Pair engines(String name, UnaryOperator<NodeBuilder> more)
    {
        return start(name, false, more);
    }

    private static Pair start(String name, boolean isStock, UnaryOperator<NodeBuilder> more)
    {
        Node first = more.apply(node(name + "-1", "127.0.0.1")).start();
        // peers try to reach a node that was down at growing intervals, for which it waits when it starts again
        NodeBuilder other = more.apply(node(name + "-2", "127.0.0.2")).joining(first).yaml("auto_bootstrap", "false")
                                                          .jvm("-Dcassandra.ring_delay_ms=15000");
        if (isStock)
            other.stock().yaml("memtable", STOCK_MEMTABLES);
        Pair pair = new Pair(first, other.build());
        try
        {
            pair.second.start();
            pair.awaitBoth();
            try (Cql cql = first.cql())
            {
                cql.run("CREATE KEYSPACE " + KEYSPACE
                        + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 2}");
            }
            return pair;
        }
        catch (RuntimeException | Error e)
        {
            pair.close();
            throw e;
        }
    }

    private static NodeBuilder node(String name, String address)
    {
        return Node.named(name).heap("400m").address(address).yaml("hinted_handoff_enabled", "false")
                   .yaml("endpoint_snitch", "GossipingPropertyFileSnitch").yaml("dynamic_snitch", "false")
                   .jvm("-Dcassandra-rackdc.properties=" + RACKDC.toUri());
    }

    List<Node> both()
    {
        return List.of(first, second);
    }

    Node other(Node one)
    {
        return one == first ? second : first;
    }

    /** Waits until both nodes see each other, and agree on the schema. */
    void awaitBoth()
    {
        Await.untilAsserted(BOUND, () -> assertTrue(both().stream().allMatch(Pair::seesTwo) && Ring.of(first).hasOneSchema(),
                                                    () -> first.nodetool("status").text()));
    }

    private static boolean seesTwo(Node node)
    {
        return Ring.of(node).normal() == 2;
    }

    /** Runs writes while one of the nodes is down. */
    void without(Node down, Runnable writes)
    {
        down.stop();
        Await.until("it is seen as down", BOUND, () -> !seesTwo(other(down)));
        writes.run();
        down.start();
        awaitBoth();
    }

    /** Fails unless a preview of a full repair, asked for at both nodes, finds nothing to do. */
    void assertInSync(String... tables)
    {
        for (Node node : both())
        {
            String text = repair(node, "--preview", tables).success();
            assertTrue(text.contains("Previewed data was in sync"), text);
        }
    }

    /** @return whether a preview of a full repair, asked for at the first node, finds nothing to do */
    boolean isInSync(String... tables)
    {
        return repair(first, "--preview", tables).success().contains("Previewed data was in sync");
    }

    /** Fails if a preview finds nothing to do. */
    void assertOutOfSync(String... tables)
    {
        assertFalse(isInSync(tables));
    }

    /** Repairs in full. */
    static Output repair(Node coordinator, String option, String... tables)
    {
        String[] command = new String[4 + tables.length];
        command[0] = "repair";
        command[1] = "--full";
        command[2] = option;
        command[3] = KEYSPACE;
        System.arraycopy(tables, 0, command, 4, tables.length);
        Output output = coordinator.nodetool(command);
        assertEquals(0, output.exitCode(), () -> output.text() + "\n" + coordinator.log().lastTrouble());
        return output;
    }

    @Override
    public void close()
    {
        try
        {
            second.close();
        }
        finally
        {
            first.close();
        }
    }
}
