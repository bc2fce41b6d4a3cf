/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.cassiterite.nodetest.Await;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;
import io.cassiterite.nodetest.Ring;

/**
 * F3: nodes join, are cleaned up, leave, drain and die while clients of the front door read all the time. A row has one
 * replica, so that a native answer of a node that no longer owns it, or does not yet, would miss it.
 */
@Tag("cluster")
@Timeout(900)
class RingChangesTest
{
    private static final Duration BOUND = Duration.ofSeconds(120);

    private static final int ROWS = 2000;
    private static final int NATIVE_ANSWERS = 100;

    /** The last one first. */
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final CheckedRows rows = new CheckedRows(ROWS);

    private static NodeBuilder node(int number)
    {
        return Node.named("ring-" + number).address("127.0.0." + number).ofChangingRing().frontDoor("reads");
    }

    @AfterEach
    void end() throws Exception
    {
        rows.close();
        for (AutoCloseable closeable : open)
            closeable.close();
    }

    private Node start(NodeBuilder builder)
    {
        Node node = builder.start();
        open.push(node);
        return node;
    }

    private Node join(NodeBuilder builder, Node... observers)
    {
        rows.whileRingChanges(() -> {
            Node node = start(builder);
            for (Node observer : observers)
                awaitNormal(node, observer);
        });
        return (Node) open.peek();
    }

    private static void awaitGone(Node node, Node... observers)
    {
        for (Node observer : observers)
            Await.until(observer.name() + " forgets " + node.name(), BOUND, () -> !Ring.of(observer).isNormal(node));
    }

    private static void awaitNormal(Node node, Node observer)
    {
        Await.until(observer.name() + " sees " + node.name(), BOUND, () -> Ring.of(observer).isNormal(node));
    }

    private Reader reader(Node node)
    {
        Cql cql = node.cql();
        open.push(cql);
        Reader reader = new Reader(cql);
        rows.check(reader::read);
        return reader;
    }

    @Test
    void noRowIsMissedWhileNodesComeAndGo()
    {
        Node first = start(node(1));
        Cql writer = first.cql();
        open.push(writer);
        writer.run("CREATE KEYSPACE ring WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        writer.run("CREATE TABLE ring.t (k int PRIMARY KEY, v int) WITH memtable = 'cassiterite'");
        first.log().await("Starting listening for CQL clients on .* through the front door", NativeAnswers.PATIENCE);
        rows.write((k, v) -> writer.run("INSERT INTO ring.t (k, v) VALUES (?, ?)", k, v));
        Reader ofFirst = reader(first);
        awaitNative(ofFirst);

        Node second = join(node(2).joining(first), first);
        Reader ofSecond = reader(second);
        first.nodetool("cleanup", "ring").success();
        awaitNative(ofFirst, ofSecond);

        Node third = join(node(3).joining(first), first, second);
        Reader ofThird = reader(third);
        first.nodetool("cleanup", "ring").success();
        second.nodetool("cleanup", "ring").success();
        awaitNative(ofFirst, ofSecond, ofThird);

        rows.whileRingChanges(() -> {
            third.nodetool("decommission", "--force").success();
            awaitGone(third, first, second);
        });
        awaitNative(ofFirst, ofSecond);
        second.nodetool("drain").success();
        awaitNative(ofFirst);
        second.killNine();
        awaitNative(ofFirst);
        second.start();
        awaitNormal(second, first);
        ofSecond.cql.awaitReconnection();
        awaitNative(ofFirst, ofSecond);
        rows.checkAll(ofFirst::read);
    }

    /** A client of one node. */
    private static final class Reader
    {
        private final Cql cql;
        private final com.datastax.oss.driver.api.core.metadata.Node node;
        private final PreparedStatement select;

        Reader(Cql cql)
        {
            this.cql = cql;
            this.node = cql.own();
            this.select = cql.session().prepare("SELECT v FROM ring.t WHERE k = ?");
        }

        Integer read(int key)
        {
            Row row = cql.session().execute(select.bind(key).setNode(node)).one();
            return row == null ? null : row.getInt("v");
        }

        long answered()
        {
            return cql.localRows("SELECT count FROM cassiterite.front_door WHERE name = 'executes_answered'").get(0).getLong("count");
        }
    }

    /** Waits for native answers that are given from now on. */
    private void awaitNative(Reader... readers)
    {
        for (Reader reader : readers)
        {
            long enough = reader.answered() + NATIVE_ANSWERS;
            Await.until("the door answers", BOUND, () -> reader.answered() >= enough || rows.hasFailed());
        }
        rows.throwFailure();
    }
}
