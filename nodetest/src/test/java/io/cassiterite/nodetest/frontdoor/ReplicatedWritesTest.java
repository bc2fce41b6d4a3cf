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
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.cassiterite.nodetest.Await;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;
import io.cassiterite.nodetest.Pause;
import io.cassiterite.nodetest.Ring;

import static com.datastax.oss.driver.api.core.ConsistencyLevel.ALL;
import static com.datastax.oss.driver.api.core.ConsistencyLevel.LOCAL_QUORUM;
import static com.datastax.oss.driver.api.core.ConsistencyLevel.ONE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Three replicas whose doors write what the others have written: what was acknowledged is on all of them in the end. */
@Timeout(900)
class ReplicatedWritesTest
{
    private static final Duration BOUND = Duration.ofSeconds(120);
    private static final List<String> STATEMENTS = List.of("INSERT INTO %s (k, c, v, t) VALUES (?, ?, ?, ?)",
                                                           "UPDATE %s SET v = ?, t = null WHERE k = ? AND c = ?",
                                                           "UPDATE %s SET s = ? WHERE k = ?", "DELETE t FROM %s WHERE k = ? AND c = ?",
                                                           "DELETE FROM %s WHERE k = ? AND c = ?");

    /** The last one first. */
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final List<Node> nodes = new ArrayList<>();
    private final Random random = new Random(46);
    private long lastMicros;
    private Cql observer;
    private Cql writer;
    private List<PreparedStatement> ours;
    private List<PreparedStatement> stock;

    @AfterEach
    void end() throws Exception
    {
        for (AutoCloseable closeable : open)
            closeable.close();
    }

    @Test
    void whatIsAcknowledgedIsOnAllReplicasInTheEnd()
    {
        startWriting(3);
        assertNative(1_900, () -> write(2_000));
        assertSame();

        nodes.get(2).freeze();
        write(300);
        nodes.get(2).thaw();
        assertSame();

        nodes.get(2).killNine();
        Await.until("it is down", BOUND, () -> Ring.of(nodes.get(0)).normal() == 2);
        assertNative(400, () -> write(500));
        nodes.get(2).start();
        assertSame();

        // F37: a hint of before the TRUNCATE brings nothing back
        nodes.get(2).freeze();
        writer.session().execute(bound(ours.get(0), writer, 7, LOCAL_QUORUM));
        nodes.get(2).thaw();
        awaitAllUp();
        run(observer, "TRUNCATE copies.ours");
        run(observer, "TRUNCATE copies.stock");
        awaitAllNative();
        assertNative(90, () -> write(100));
        assertSame();

        // what a coordinator owes when it stops, and nobody has missed yet
        nodes.get(2).freeze();
        write(20);
        nodes.get(0).restart();
        nodes.get(2).thaw();
        assertSame();
    }

    /** F7: what is written while a replica joins is Cassandra's, which writes to it, too. */
    @Test
    void whoJoinsMissesNothing()
    {
        startWriting(2);
        write(500);
        AtomicBoolean joined = new AtomicBoolean();
        CompletableFuture<Void> writing = CompletableFuture.runAsync(() -> {
            while (!joined.get())
                write(10);
        });
        try
        {
            start(node(3));
        }
        finally
        {
            joined.set(true);
        }
        writing.join();
        assertSame();
        awaitNative(() -> writer.session().execute(bound(ours.get(4), writer, 1, LOCAL_QUORUM)));
        run(observer, "TRUNCATE copies.ours");
        run(observer, "TRUNCATE copies.stock");
        awaitAllNative();
        assertNative(190, () -> write(200));
        assertSame();
    }

    private static NodeBuilder node(int number)
    {
        return Node.named("replicated-writes-" + number).address("127.0.0." + number).frontDoor("reads").quorumReads("on")
                   .nativeWrites("replicated").yaml("hinted_handoff_throttle", "10MiB").yaml("dynamic_snitch", "false");
    }

    /** Nodes, tables and statements, until the first node's door does them all. */
    private void startWriting(int count)
    {
        for (int i = 1; i <= count; i++)
            start(node(i));
        createTables();
        for (Node node : nodes)
            node.log().await("Starting listening for CQL clients on .* through the front door", BOUND);
        observer = nodes.get(0).cql();
        open.push(observer);
        writer = nodes.get(0).cql();
        open.push(writer);
        ours = prepared(writer, "copies.ours");
        stock = prepared(writer, "copies.stock");
        for (PreparedStatement statement : ours)
            awaitNative(() -> writer.session().execute(bound(statement, writer, 1, LOCAL_QUORUM)));
        run(observer, "TRUNCATE copies.ours");
        awaitNative(() -> writer.session().execute(bound(ours.get(4), writer, 1, LOCAL_QUORUM)));
    }

    private void start(NodeBuilder described)
    {
        NodeBuilder builder = described.ofChangingRing().patient();
        Node node = (nodes.isEmpty() ? builder : builder.joining(nodes.get(0))).start();
        nodes.add(node);
        open.push(node);
        awaitAllUp();
    }

    /** A node that was frozen or killed is down to the others for a while. */
    private void awaitAllUp()
    {
        for (Node observer : nodes)
            Await.until(observer.name() + " sees " + nodes.size(), BOUND, () -> Ring.of(observer).normal() == nodes.size());
    }

    private void awaitNative(Runnable request)
    {
        Await.until("the door writes", BOUND, () -> {
            long before = answered();
            request.run();
            Pause.millis(20);
            return answered() > before;
        });
    }

    /** A door that has refused a write is asked for none for a while, and a table opens when it is wanted. */
    private void awaitAllNative()
    {
        Await.until("the door does all writes", BOUND, () -> {
            long before = answered();
            write(50);
            Pause.millis(20);
            return answered() - before >= 50;
        });
    }

    private void assertNative(int least, Runnable requests)
    {
        long before = answered();
        requests.run();
        assertTrue(answered() - before >= least, () -> observer.localRows("SELECT * FROM cassiterite.front_door").stream()
            .filter(row -> row.getLong("count") > 0).map(Row::getFormattedContents).collect(Collectors.joining("\n")));
    }

    /** Of the node that the clients ask. */
    private long answered()
    {
        return observer.localRows("SELECT count FROM cassiterite.front_door WHERE name = 'executes_answered'").get(0).getLong("count");
    }

    private void createTables()
    {
        try (Cql cql = nodes.get(0).cql())
        {
            run(cql, "CREATE KEYSPACE copies WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 3}");
            for (String table : List.of("ours", "stock"))
                run(cql, "CREATE TABLE copies." + table + " (k int, c int, s int static, v int, t text, PRIMARY KEY (k, c))"
                         + (table.equals("ours") ? " WITH memtable = 'cassiterite'" : ""));
        }
        Await.until("all nodes know the tables", BOUND, () -> Ring.of(nodes.get(0)).hasOneSchema());
    }

    private static List<PreparedStatement> prepared(Cql cql, String table)
    {
        List<PreparedStatement> all = new ArrayList<>();
        STATEMENTS.forEach(statement -> all.add(cql.session().prepare(String.format(statement, table))));
        return all;
    }

    /** The same to both tables, at the same times. */
    private void write(int count)
    {
        for (int i = 0; i < count; i++)
        {
            int statement = random.nextInt(STATEMENTS.size());
            long seed = random.nextLong();
            long micros = Math.max(lastMicros + 1, System.currentTimeMillis() * 1_000);
            lastMicros = micros;
            for (List<PreparedStatement> table : List.of(ours, stock))
                writer.session().execute(bound(table.get(statement), writer, seed, LOCAL_QUORUM).setQueryTimestamp(micros));
        }
    }

    private static BoundStatement bound(PreparedStatement statement, Cql cql, long seed, ConsistencyLevel level)
    {
        Random values = new Random(seed);
        Object[] bound = new Object[statement.getVariableDefinitions().size()];
        for (int i = 0; i < bound.length; i++)
            switch (statement.getVariableDefinitions().get(i).getName().asInternal())
            {
                case "k":
                    bound[i] = values.nextInt(30);
                    break;
                case "c":
                    bound[i] = values.nextInt(4);
                    break;
                case "t":
                    bound[i] = "t" + values.nextInt();
                    break;
                default:
                    bound[i] = values.nextInt();
            }
        return statement.bind(bound).setNode(cql.own()).setConsistencyLevel(level)
                        .setQueryTimestamp(System.currentTimeMillis() * 1_000);
    }

    /** Each replica by itself has what stock has, once hints have come. */
    private void assertSame()
    {
        String columns = "SELECT k, c, s, v, t, writetime(v), writetime(t), writetime(s) FROM copies.";
        awaitAllUp();
        try (Cql whole = nodes.get(0).cql())
        {
            List<String> expected = rows(whole, columns + "stock", ALL);
            for (Node node : nodes)
                try (Cql cql = node.cql())
                {
                    Await.until(node.name() + " has all", BOUND, () -> rows(cql, columns + "ours", ONE).equals(expected));
                    assertEquals(expected, rows(cql, columns + "ours", ONE));
                }
        }
    }

    private static List<String> rows(Cql cql, String query, ConsistencyLevel level)
    {
        List<String> rows = new ArrayList<>();
        SimpleStatement statement = SimpleStatement.newInstance(query).setNode(cql.own()).setConsistencyLevel(level);
        cql.session().execute(statement).forEach(row -> rows.add(row.getFormattedContents()));
        return rows;
    }

    private static void run(Cql cql, String statement)
    {
        cql.session().execute(SimpleStatement.newInstance(statement).setNode(cql.own()).setConsistencyLevel(ALL));
    }
}
