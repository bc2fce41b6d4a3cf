/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
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
import io.cassiterite.nodetest.Jmx;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;
import io.cassiterite.nodetest.Ring;

import static com.datastax.oss.driver.api.core.ConsistencyLevel.ALL;
import static com.datastax.oss.driver.api.core.ConsistencyLevel.LOCAL_QUORUM;
import static com.datastax.oss.driver.api.core.ConsistencyLevel.ONE;
import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Three replicas: one whose door asks others, one whose door comes later, and Cassandra without the plug-in. Each gives the same
 * answers, and the door says why it passes on what it does not answer.
 */
@Tag("cluster")
@Timeout(900)
class MixedDoorsTest
{
    private static final Duration BOUND = Duration.ofSeconds(120);
    private static final String CONFIGURATIONS = "\n  configurations:\n    skiplist:\n      class_name: SkipListMemtable\n"
                                                 + "    default:\n      inherits: skiplist\n    cassiterite:\n      inherits: skiplist";
    private static final int READS = 30;
    private static final int EQUAL = 1;
    private static final int CHANGING = 2;

    /** The last one first. */
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final List<Node> nodes = new ArrayList<>();
    private final List<ReplicaReader> readers = new ArrayList<>();
    private int version;

    @AfterEach
    void end() throws Exception
    {
        for (AutoCloseable closeable : open)
            closeable.close();
    }

    @Test
    void replicasWithoutDoorsAreLeftToCassandra()
    {
        start(Node.named("mixed-doors-0").address("127.0.0.1").frontDoor("reads").quorumReads("on"));
        start(Node.named("mixed-doors-1").address("127.0.0.2").frontDoor("off"));
        start(Node.named("mixed-doors-2").address("127.0.0.3").stock().yaml("memtable", CONFIGURATIONS));
        createTable();
        for (Node node : nodes)
        {
            readers.add(new ReplicaReader(node, "mixed.t"));
            open.push(readers.get(readers.size() - 1));
        }
        ReplicaReader first = readers.get(0);
        first.awaitNative(EQUAL, ONE);
        // nobody has a door that could be asked
        assertPassed(first, "replicas", LOCAL_QUORUM);
        assertSameAnswers();

        set(1, "front_door", "reads");
        set(1, "front_door_quorum_reads", "on");
        first.awaitNative(EQUAL, LOCAL_QUORUM);
        assertPassed(first, "replicas", ALL);
        assertSameAnswers();
        try (ReplicaReader second = new ReplicaReader(nodes.get(1), "mixed.t"))
        {
            second.awaitNative(EQUAL, LOCAL_QUORUM);
            assertSameAnswers();
            assertEquals(0, second.count("answers_different"));

            set(0, "front_door_quorum_reads", "compare");
            assertPassed(first, "compared", LOCAL_QUORUM);
            assertSameAnswers();
            set(0, "front_door_quorum_reads", "off");
            assertPassed(first, "consistency", LOCAL_QUORUM);
            assertPassed(second, "replicas", LOCAL_QUORUM);
            assertSameAnswers();
            set(0, "front_door_quorum_reads", "on");
            first.awaitNative(EQUAL, LOCAL_QUORUM);
            second.awaitNative(EQUAL, LOCAL_QUORUM);
        }
        assertSameAnswers();
        assertEquals(0, first.count("answers_different"));
    }

    private void start(NodeBuilder described)
    {
        NodeBuilder builder = described.ofChangingRing().patient();
        Node node = (nodes.isEmpty() ? builder : builder.joining(nodes.get(0))).start();
        nodes.add(node);
        open.push(node);
        for (Node observer : nodes)
            Await.until(observer.name() + " sees " + nodes.size(), BOUND, () -> Ring.of(observer).normal() == nodes.size());
    }

    private void createTable()
    {
        try (Cql cql = nodes.get(0).cql())
        {
            run(cql, "CREATE KEYSPACE mixed WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 3}", ONE);
            run(cql, "CREATE TABLE mixed.t (k int PRIMARY KEY, v int) WITH memtable = 'cassiterite' AND speculative_retry = 'NONE'", ONE);
            Await.until("all nodes know the table", BOUND, () -> Ring.of(nodes.get(0)).hasOneSchema());
            write(cql, EQUAL, 20, ALL);
        }
    }

    /** Whoever writes and whoever reads: a quorum read has what a quorum has acknowledged. */
    private void assertSameAnswers()
    {
        for (Node writer : nodes)
            try (Cql cql = writer.cql())
            {
                for (int i = 0; i < READS; i++)
                {
                    write(cql, CHANGING, ++version, LOCAL_QUORUM);
                    for (ReplicaReader reader : readers)
                        assertEquals(version, reader.read(CHANGING, LOCAL_QUORUM), writer.name());
                }
            }
        readers.forEach(reader -> reader.assertReads(READS, EQUAL, 20, LOCAL_QUORUM));
    }

    /** From some read on, all reads are Cassandra's, for one reason. */
    private static void assertPassed(ReplicaReader reader, String reason, ConsistencyLevel level)
    {
        String name = "executes_passed_" + reason;
        Await.until(reason, BOUND, () -> {
            long passed = reader.count(name);
            reader.read(EQUAL, level);
            return reader.count(name) > passed;
        });
        long answered = reader.count("executes_answered");
        long passed = reader.count(name);
        reader.assertReads(READS, EQUAL, 20, level);
        Await.until(reason + " is counted", BOUND, () -> reader.count(name) >= passed + READS / 2);
        assertEquals(answered, reader.count("executes_answered"), reason);
    }

    private void set(int node, String setting, String value)
    {
        try (Jmx jmx = nodes.get(node).jmx())
        {
            jmx.parameter(setting, value);
        }
    }

    private static void write(Cql cql, int k, int v, ConsistencyLevel level)
    {
        run(cql, "INSERT INTO mixed.t (k, v) VALUES (" + k + ", " + v + ')', level);
    }

    private static void run(Cql cql, String statement, ConsistencyLevel level)
    {
        cql.session().execute(SimpleStatement.newInstance(statement).setNode(cql.own()).setConsistencyLevel(level));
    }
}
