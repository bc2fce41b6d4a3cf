/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeTest;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What the door writes is what Cassandra would have written. */
@NodeTest(own = true, yaml = {"memtable.configurations.cassiterite.parameters.front_door: reads",
                              "memtable.configurations.cassiterite.parameters.front_door_writes: on"})
class NativeWritesTest
{
    private static final String COLUMNS = " (p int, q text, c bigint, d text, s int static, v int, t text, b blob, u uuid, f double,"
                                          + " n varint, g boolean, PRIMARY KEY ((p, q), c, d)) WITH CLUSTERING ORDER BY (c DESC, d ASC)";
    private static final Set<String> KEY = Set.of("p", "q", "c", "d", "[ttl]");
    private static final List<String> STATEMENTS = List.of(
        "INSERT INTO %s (p, q, c, d, v, t, b, u, f, n, g) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        "INSERT INTO %s (p, q, c, d) VALUES (?, ?, ?, ?)",
        "INSERT INTO %s (d, c, q, p, t) VALUES (?, ?, ?, ?, 'constant')",
        "UPDATE %s SET v = ?, g = true WHERE p = ? AND q = ? AND c = ? AND d = ?",
        "UPDATE %s SET s = ? WHERE p = ? AND q = ?",
        "UPDATE %s SET t = null, v = 7 WHERE p = ? AND q = ? AND c = ? AND d = ?",
        "DELETE v, t FROM %s WHERE p = ? AND q = ? AND c = ? AND d = ?",
        "DELETE s FROM %s WHERE p = ? AND q = ?",
        "DELETE FROM %s WHERE p = ? AND q = ? AND c = ? AND d = ?",
        "INSERT INTO %s (p, q, c, d, v, t) VALUES (?, ?, ?, ?, ?, ?) USING TTL ?",
        "UPDATE %s USING TTL 1000000 SET b = ?, g = false WHERE p = ? AND q = ? AND c = ? AND d = ?");

    private NativeAnswers answers;
    /** A connection that only executes: one that also observes is soon Netty's. */
    private Cql client;

    @BeforeAll
    static void theFirstEngineTableOpensTheDoor(Node node)
    {
        try (Cql cql = node.cql("nativewritestest"))
        {
            cql.run("CREATE TABLE first (k int PRIMARY KEY) WITH memtable = 'cassiterite'");
        }
        node.log().await("Starting listening for CQL clients on .* through the front door", NativeAnswers.PATIENCE);
    }

    @BeforeEach
    void connect(Cql cql, Node node)
    {
        answers = new NativeAnswers(cql.session());
        client = node.cql("nativewritestest");
    }

    @AfterEach
    void disconnect()
    {
        client.close();
    }

    @Test
    void rowsAreThoseOfStock(Cql cql, Node node)
    {
        cql.run("CREATE TABLE ours" + COLUMNS + " AND memtable = 'cassiterite'");
        cql.run("CREATE TABLE stock" + COLUMNS);
        Random random = new Random(9);
        List<PreparedStatement> ours = new ArrayList<>();
        List<PreparedStatement> stock = new ArrayList<>();
        for (String statement : STATEMENTS)
        {
            ours.add(client.session().prepare(String.format(statement, "nativewritestest.ours")));
            stock.add(client.session().prepare(String.format(statement, "nativewritestest.stock")));
            answers.await(() -> client.session().execute(whole(ours.get(ours.size() - 1), 1).setQueryTimestamp(1_000_000)));
        }
        cql.run("TRUNCATE ours");
        answers.await(() -> client.session().execute(whole(ours.get(8), 1).setQueryTimestamp(now() - 1)));
        long before = answers.answered();
        long start = now();
        for (int i = 0; i < 3_000; i++)
        {
            int statement = random.nextInt(STATEMENTS.size());
            long seed = random.nextLong();
            long timestamp = start + random.nextInt(500);
            client.session().execute(bound(ours.get(statement), seed).setQueryTimestamp(timestamp));
            client.session().execute(bound(stock.get(statement), seed).setQueryTimestamp(timestamp));
        }
        // an UPDATE of nothing is Cassandra's
        assertTrue(answers.answered() - before > 2_800, answers::toString);
        String all = "SELECT p, q, c, d, s, v, t, b, u, f, n, g, writetime(v), writetime(t), writetime(s), writetime(g) FROM ";
        List<String> expected = cql.exact(all + "stock");
        assertTrue(expected.size() > 50);
        assertEquals(expected, cql.exact(all + "ours"));
        assertEquals(expiring(cql, "stock"), expiring(cql, "ours"));
        node.nodetool("flush");
        assertEquals(expected, cql.exact(all + "ours"));
    }

    /** When values expire, to some seconds: the clock goes on between two reads. */
    private static List<List<Integer>> expiring(Cql cql, String table)
    {
        return cql.rows("SELECT ttl(v), ttl(t), ttl(b), ttl(g) FROM " + table).stream()
                  .map(row -> IntStream.range(0, 4).mapToObj(i -> row.isNull(i) ? 0 : (row.getInt(i) + 3_000) / 10_000).toList()).toList();
    }

    private static long now()
    {
        return System.currentTimeMillis() * 1_000;
    }

    private static BoundStatement timed(PreparedStatement statement, Object... values)
    {
        return statement.bind(values).setQueryTimestamp(now());
    }

    /** With some values that are null or unset. */
    private static BoundStatement bound(PreparedStatement statement, long seed)
    {
        Random random = new Random(~seed);
        BoundStatement bound = whole(statement, seed);
        for (int i = 0; i < statement.getVariableDefinitions().size(); i++)
        {
            int pick = KEY.contains(statement.getVariableDefinitions().get(i).getName().asInternal()) ? 2 : random.nextInt(8);
            if (pick < 2)
                bound = pick == 0 ? bound.setToNull(i) : bound.unset(i);
        }
        return bound;
    }

    private static BoundStatement whole(PreparedStatement statement, long seed)
    {
        Random random = new Random(seed);
        Map<String, Object> values = Map.ofEntries(
            Map.entry("p", random.nextInt(3)), Map.entry("q", random.nextInt(4) == 0 ? "" : "q" + random.nextInt(2)),
            Map.entry("c", (long) random.nextInt(5) - 2), Map.entry("d", "d" + random.nextInt(3)), Map.entry("s", random.nextInt()),
            Map.entry("v", random.nextInt()), Map.entry("t", random.nextBoolean() ? "" : "t" + random.nextLong()),
            Map.entry("b", ByteBuffer.wrap(new byte[random.nextInt(300)])),
            Map.entry("u", new UUID(random.nextLong(), random.nextLong())),
            Map.entry("[ttl]", random.nextInt(3) == 0 ? 0 : 10_000 * (10 + random.nextInt(1_000))),
            Map.entry("f", random.nextDouble()), Map.entry("n", new BigInteger(90, random)), Map.entry("g", random.nextBoolean()));
        Object[] bound = new Object[statement.getVariableDefinitions().size()];
        for (int i = 0; i < bound.length; i++)
            bound[i] = values.get(statement.getVariableDefinitions().get(i).getName().asInternal());
        return statement.bind(bound);
    }

    @Test
    void whatTheDoorMayNotWriteIsCassandras(Cql cql, Node node)
    {
        cql.run("CREATE TABLE gates (k int, c int, v int, l list<int>, PRIMARY KEY (k, c)) WITH memtable = 'cassiterite'");
        PreparedStatement put = client.session().prepare("INSERT INTO nativewritestest.gates (k, c, v) VALUES (?, ?, ?)");
        answers.await(() -> client.session().execute(timed(put, 1, 1, 1)));
        assertFalse(answers.isNative(() -> client.session().execute(put.bind(1, 1, 5))), "Cassandra's own time");
        for (String other : List.of("INSERT INTO nativewritestest.gates (k, c, v) VALUES (1, 1, 2) IF NOT EXISTS",
                                    "UPDATE nativewritestest.gates USING TIMESTAMP 5 SET v = 1 WHERE k = 1 AND c = 1",
                                    "UPDATE nativewritestest.gates SET l = l + [1] WHERE k = 1 AND c = 1",
                                    "DELETE FROM nativewritestest.gates WHERE k = 1",
                                    "DELETE FROM nativewritestest.gates WHERE k = 1 AND c > 3",
                                    "UPDATE nativewritestest.gates SET v = 3 WHERE k IN (1, 2) AND c = 1"))
        {
            PreparedStatement statement = client.session().prepare(other);
            for (int i = 0; i < 3; i++)
                assertFalse(answers.isNative(() -> client.session().execute(timed(statement))), other);
        }
        assertTrue(answers.isNative(() -> client.session().execute(timed(put, 1, 1, null))), "null");
        assertFalse(answers.isNative(() -> client.session().execute(put.bind(1, 1, 9).setQueryTimestamp(3))), "old");
        cql.run("ALTER TABLE nativewritestest.gates WITH default_time_to_live = 1000");
        answers.await(() -> client.session().execute(timed(put, 1, 2, 1)));
        assertTrue(cql.rows("SELECT ttl(v) FROM gates WHERE k = 1 AND c = 2").get(0).getInt(0) > 0);
    }

    /** F31: what was acknowledged before a TRUNCATE is gone behind it, what came behind it is there. */
    @Test
    void truncate(Cql cql, Node node) throws Exception
    {
        cql.run("CREATE TABLE t (k int PRIMARY KEY, v int) WITH memtable = 'cassiterite'");
        PreparedStatement put = client.session().prepare("INSERT INTO nativewritestest.t (k, v) VALUES (?, ?)");
        answers.await(() -> client.session().execute(timed(put, 0, 0)));
        AtomicBoolean finished = new AtomicBoolean();
        AtomicInteger truncates = new AtomicInteger(); // odd while one runs
        AtomicInteger keys = new AtomicInteger();
        ExecutorService clients = Executors.newFixedThreadPool(4);
        List<Future<?>> running = new ArrayList<>();
        long before = answers.answered();
        for (int i = 0; i < 4; i++)
            running.add(clients.submit(() -> {
                while (!finished.get())
                {
                    int k = keys.incrementAndGet();
                    int epoch = truncates.get();
                    client.session().execute(timed(put, k, -k));
                    List<Row> rows = cql.rows("SELECT v FROM nativewritestest.t WHERE k = ?", k);
                    if (epoch % 2 == 0 && truncates.get() == epoch)
                        assertEquals(-k, rows.get(0).getInt(0));
                }
            }));
        for (int i = 0; i < 15; i++)
        {
            long enough = answers.answered() + 100;
            NativeAnswers.awaitTrue("the door writes", () -> answers.answered() >= enough || running.stream().anyMatch(Future::isDone));
            int written = keys.get() - 8;
            truncates.incrementAndGet();
            cql.run("TRUNCATE nativewritestest.t");
            for (int k = written; k > written - 20; k--)
                assertEquals(List.of(), cql.rows("SELECT v FROM nativewritestest.t WHERE k = ?", k));
            truncates.incrementAndGet();
        }
        finished.set(true);
        for (Future<?> client : running)
            client.get();
        clients.shutdown();
        assertTrue(answers.answered() - before > 1_500, answers::toString);
    }

    /** F32: while a lightweight transaction's record may not outlive a crash, the door passes writes on; then it writes again. */
    @Test
    void rowsDoNotOvertakeRecordsOfPaxos(Cql cql, Node node)
    {
        cql.run("CREATE TABLE l (k int PRIMARY KEY, v int) WITH memtable = 'cassiterite'");
        PreparedStatement put = client.session().prepare("INSERT INTO nativewritestest.l (k, v) VALUES (?, ?)");
        answers.await(() -> client.session().execute(timed(put, 0, 0)));
        long before = answers.count("executes_passed_unsafe_records");
        AtomicBoolean finished = new AtomicBoolean();
        Thread transactions = new Thread(() -> {
            try (Cql other = node.cql("nativewritestest"))
            {
                PreparedStatement cas = other.session().prepare("INSERT INTO nativewritestest.l (k, v) VALUES (?, ?) IF NOT EXISTS");
                for (int i = -1; !finished.get(); i--)
                    other.session().execute(cas.bind(i, i));
            }
        });
        transactions.start();
        NativeAnswers.awaitTrue("writes are passed on", () -> {
            for (int i = 0; i < 100; i++)
                client.session().execute(timed(put, i, -i));
            return answers.count("executes_passed_unsafe_records") > before;
        });
        finished.set(true);
        assertDoesNotThrow(() -> transactions.join());
        answers.await(() -> client.session().execute(timed(put, 0, 0)));
        for (int i = 1; i < 100; i++)
            assertEquals(-i, cql.rows("SELECT v FROM nativewritestest.l WHERE k = ?", i).get(0).getInt(0));
    }
}
