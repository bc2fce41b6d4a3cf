/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.cassiterite.nodetest.Await;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;
import io.cassiterite.nodetest.Ring;

import static com.datastax.oss.driver.api.core.ConsistencyLevel.ALL;
import static com.datastax.oss.driver.api.core.ConsistencyLevel.LOCAL_ONE;
import static com.datastax.oss.driver.api.core.ConsistencyLevel.LOCAL_QUORUM;
import static com.datastax.oss.driver.api.core.ConsistencyLevel.LOCAL_SERIAL;
import static com.datastax.oss.driver.api.core.ConsistencyLevel.ONE;
import static com.datastax.oss.driver.api.core.ConsistencyLevel.QUORUM;
import static com.datastax.oss.driver.api.core.ConsistencyLevel.SERIAL;
import static com.datastax.oss.driver.api.core.ConsistencyLevel.THREE;
import static com.datastax.oss.driver.api.core.ConsistencyLevel.TWO;
import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * F3: with three replicas, levels that need others of them are Cassandra's, and counted so. A replica that missed a write
 * shows it: its own row is the old one.
 */
@Tag("cluster")
@Timeout(900)
class LevelsTest
{
    private static final Duration BOUND = Duration.ofSeconds(120);
    private static final int NODES = 3;
    private static final int READS = 20;
    private static final int STALE = 1;
    private static final int EQUAL = 2;
    private static final List<ConsistencyLevel> OF_ONE = List.of(ONE, LOCAL_ONE);
    private static final List<ConsistencyLevel> OF_OTHERS = List.of(TWO, THREE, QUORUM, LOCAL_QUORUM, ALL, SERIAL, LOCAL_SERIAL);

    /** The last one first. */
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final Node[] nodes = new Node[NODES];

    @AfterEach
    void end() throws Exception
    {
        for (AutoCloseable closeable : open)
            closeable.close();
    }

    private void startAll()
    {
        for (int i = 0; i < NODES; i++)
        {
            NodeBuilder builder = Node.named("levels-" + i).address("127.0.0." + (i + 1)).ofChangingRing().patient().frontDoor("reads")
                                      .yaml("hinted_handoff_enabled", "false");
            nodes[i] = (i == 0 ? builder : builder.joining(nodes[0])).start();
            open.push(nodes[i]);
            awaitAllNormal(i + 1);
        }
    }

    private void awaitAllNormal(int count)
    {
        for (int i = 0; i < count; i++)
        {
            Node node = nodes[i];
            Await.until(node.name() + " sees " + count, BOUND, () -> Ring.of(node).normal() == count);
        }
    }

    @Test
    void onlyLevelsOfOneReplicaAreAnsweredNatively()
    {
        startAll();
        try (Cql cql = nodes[0].cql())
        {
            run(cql, "CREATE KEYSPACE levels WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 3}", ONE);
            run(cql, "CREATE TABLE levels.t (k int PRIMARY KEY, v int) WITH memtable = 'cassiterite'", ONE);
            Await.until("all nodes know the table", BOUND, () -> Ring.of(nodes[0]).hasOneSchema());
            write(cql, STALE, 10, ALL);
            write(cql, EQUAL, 20, ALL);
        }
        for (Node node : nodes)
            try (ReplicaReader reader = new ReplicaReader(node, "levels.t"))
            {
                reader.awaitNative(EQUAL, ONE);
                assertNative(reader, STALE, 10);
                assertPassed(reader, STALE, 10);
            }

        Node behind = nodes[NODES - 1];
        behind.killNine();
        // else the write would wait for it
        for (Node node : List.of(nodes[0], nodes[1]))
            Await.until(node.name() + " sees that it is down", BOUND, () -> Ring.of(node).isDown(behind));
        try (Cql cql = nodes[0].cql())
        {
            write(cql, STALE, 11, QUORUM);
        }
        behind.start();
        awaitAllNormal(NODES);
        try (ReplicaReader reader = new ReplicaReader(behind, "levels.t"))
        {
            // equal everywhere, or the answers of other replicas would end the audition
            reader.awaitNative(EQUAL, ONE);
            assertNative(reader, STALE, 10);
            // repairs the row
            assertPassed(reader, STALE, 11);
            assertNative(reader, STALE, 11);
        }
    }

    private static void write(Cql cql, int k, int v, ConsistencyLevel level)
    {
        run(cql, "INSERT INTO levels.t (k, v) VALUES (" + k + ", " + v + ')', level);
    }

    /** The driver has connected to other nodes, too, which may not know the table yet. */
    private static void run(Cql cql, String statement, ConsistencyLevel level)
    {
        cql.session().execute(SimpleStatement.newInstance(statement).setNode(cql.own()).setConsistencyLevel(level));
    }

    private static void assertNative(ReplicaReader reader, int k, int v)
    {
        for (ConsistencyLevel level : OF_ONE)
        {
            long expected = reader.count("executes_answered") + READS;
            reader.assertReads(READS, k, v, level);
            Await.until(level + " is answered natively", BOUND, () -> reader.count("executes_answered") == expected);
        }
    }

    private static void assertPassed(ReplicaReader reader, int k, int v)
    {
        for (ConsistencyLevel level : OF_OTHERS)
        {
            long answered = reader.count("executes_answered");
            long expected = reader.count("executes_passed_consistency") + READS;
            reader.assertReads(READS, k, v, level);
            Await.until(level + " is passed on", BOUND, () -> reader.count("executes_passed_consistency") == expected);
            assertEquals(answered, reader.count("executes_answered"), level.toString());
        }
    }
}
