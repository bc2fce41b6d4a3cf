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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.cassiterite.nodetest.Await;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;
import io.cassiterite.nodetest.Ring;

import static com.datastax.oss.driver.api.core.ConsistencyLevel.ALL;
import static com.datastax.oss.driver.api.core.ConsistencyLevel.LOCAL_QUORUM;
import static com.datastax.oss.driver.api.core.ConsistencyLevel.ONE;
import static com.datastax.oss.driver.api.core.ConsistencyLevel.QUORUM;
import static com.datastax.oss.driver.api.core.ConsistencyLevel.THREE;
import static com.datastax.oss.driver.api.core.ConsistencyLevel.TWO;
import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Three nodes whose doors ask each other. What the replicas agree on is answered natively; what they do not is Cassandra's, and
 * is healed by it.
 */
@Timeout(900)
class QuorumReadsTest
{
    private static final Duration BOUND = Duration.ofSeconds(120);
    private static final int NODES = 3;
    private static final int READS = 50;
    private static final int STALE = 1;
    private static final int EQUAL = 2;
    private static final List<ConsistencyLevel> LEVELS = List.of(TWO, THREE, QUORUM, LOCAL_QUORUM, ALL);

    /** The last one first. */
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final Node[] nodes = new Node[NODES];

    @AfterEach
    void end() throws Exception
    {
        for (AutoCloseable closeable : open)
            closeable.close();
    }

    @BeforeEach
    void startAll()
    {
        for (int i = 0; i < NODES; i++)
        {
            NodeBuilder builder = Node.named("quorum-" + i).address("127.0.0." + (i + 1)).ofChangingRing().patient().frontDoor("reads")
                                      .quorumReads("on").nativeWrites("replicated").yaml("hinted_handoff_enabled", "false");
            nodes[i] = (i == 0 ? builder : builder.joining(nodes[0])).start();
            open.push(nodes[i]);
            awaitAllNormal(i + 1);
        }
        try (Cql cql = nodes[0].cql())
        {
            run(cql, "CREATE KEYSPACE quorum WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 3}", ONE);
            run(cql, "CREATE TABLE quorum.t (k int PRIMARY KEY, v int) WITH memtable = 'cassiterite' AND speculative_retry = 'NONE'", ONE);
            Await.until("all nodes know the table", BOUND, () -> Ring.of(nodes[0]).hasOneSchema());
            write(cql, STALE, 10, ALL);
            write(cql, EQUAL, 20, ALL);
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

    private static void awaitDown(Node down, Node... observers)
    {
        for (Node node : observers)
            Await.until(node.name() + " sees that it is down", BOUND, () -> Ring.of(node).isDown(down));
    }

    @Test
    @Tag("cluster")
    void whatReplicasAgreeOnIsAnsweredNatively()
    {
        for (Node node : nodes)
            try (ReplicaReader reader = new ReplicaReader(node, "quorum.t"))
            {
                reader.awaitNative(EQUAL, LOCAL_QUORUM);
                for (ConsistencyLevel level : LEVELS)
                {
                    reader.awaitNative(EQUAL, level);
                    long answered = reader.count("executes_answered");
                    reader.assertReads(READS, EQUAL, 20, level);
                    Await.until(level + " is answered", BOUND, () -> reader.count("executes_answered") > answered + READS / 2);
                }
                assertEquals(0, reader.count("answers_different"));
            }

        Node behind = nodes[NODES - 1];
        behind.killNine();
        awaitDown(behind, nodes[0], nodes[1]);
        try (Cql cql = nodes[0].cql(); ReplicaReader reader = new ReplicaReader(nodes[0], "quorum.t"))
        {
            write(cql, STALE, 11, QUORUM);
            // the two that are left agree
            reader.awaitNative(STALE, LOCAL_QUORUM);
            reader.assertReads(READS, STALE, 11, LOCAL_QUORUM);
        }
        behind.start();
        awaitAllNormal(NODES);
        try (ReplicaReader reader = new ReplicaReader(behind, "quorum.t"))
        {
            reader.awaitNative(EQUAL, LOCAL_QUORUM);
            assertEquals(10, reader.read(STALE, ONE), "its own row is the old one");
            long differed = reader.count("executes_passed_disagreement");
            reader.assertReads(1, STALE, 11, LOCAL_QUORUM);
            Await.until("the difference is noticed", BOUND, () -> reader.count("executes_passed_disagreement") == differed + 1);
            // two replicas that Cassandra has asked may be the others: all of them have it repaired
            reader.assertReads(1, STALE, 11, ALL);
            reader.awaitNative(STALE, LOCAL_QUORUM);
            reader.assertReads(READS, STALE, 11, ALL);
            assertEquals(11, reader.read(STALE, ONE));
        }
    }

    /** F42: clients write and read at QUORUM, through the door and past it, while nodes freeze and die. */
    @Test
    void noQuorumReadGoesBackInTime()
    {
        try (QuorumRegisters registers = new QuorumRegisters(List.of(nodes)))
        {
            registers.start();
            registers.awaitNativeReads();
            registers.awaitNativeWrites();
            nodes[2].freeze();
            registers.awaitProgress();
            nodes[2].thaw();
            registers.awaitProgress();
            nodes[1].killNine();
            registers.awaitProgress();
            awaitDown(nodes[1], nodes[0], nodes[2]);
            nodes[1].start();
            awaitAllNormal(NODES);
            registers.awaitNativeReads();
            registers.awaitNativeWrites();
            registers.check();
        }
    }

    private static void write(Cql cql, int k, int v, ConsistencyLevel level)
    {
        run(cql, "INSERT INTO quorum.t (k, v) VALUES (" + k + ", " + v + ')', level);
    }

    /** The driver has connected to other nodes, too, which may not know the table yet. */
    private static void run(Cql cql, String statement, ConsistencyLevel level)
    {
        cql.session().execute(SimpleStatement.newInstance(statement).setNode(cql.own()).setConsistencyLevel(level));
    }
}
