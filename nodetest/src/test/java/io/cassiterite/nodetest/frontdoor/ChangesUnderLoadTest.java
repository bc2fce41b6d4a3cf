/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

import com.datastax.oss.driver.api.core.cql.Row;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeTest;

import static io.cassiterite.nodetest.frontdoor.NativeAnswers.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** While clients read natively all the time, no answer is one that Cassandra could not have given after a change. */
@NodeTest(own = true, yaml = "memtable.configurations.cassiterite.parameters.front_door: reads")
class ChangesUnderLoadTest
{
    private static final int CLIENTS = 4;
    /** Native answers between two changes. */
    private static final int ANSWERS = 50;

    private final ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
    private volatile boolean finished;

    @BeforeAll
    static void theFirstEngineTableOpensTheDoor(Node node)
    {
        try (Cql cql = node.cql("changesunderloadtest"))
        {
            cql.run("CREATE TABLE first (k int PRIMARY KEY) WITH memtable = 'cassiterite'");
        }
        node.log().await("Starting listening for CQL clients on .* through the front door", NativeAnswers.PATIENCE);
    }

    @AfterEach
    void end()
    {
        clients.shutdownNow();
    }

    private List<Future<?>> load(Runnable client)
    {
        List<Future<?>> running = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++)
            running.add(clients.submit(() -> {
                while (!finished)
                    client.run();
            }));
        return running;
    }

    /** Returns early if a client has failed, as {@link #finish} will tell. */
    private static void awaitAnswers(NativeReads reads, List<Future<?>> running)
    {
        long enough = reads.answered() + ANSWERS;
        awaitTrue("the door answers", () -> reads.answered() >= enough || running.stream().anyMatch(Future::isDone));
    }

    private void finish(List<Future<?>> running) throws InterruptedException, ExecutionException
    {
        finished = true;
        for (Future<?> client : running)
            client.get();
    }

    /** Hands out keys to clients, and knows up to which of them all are written. */
    private static final class Keys
    {
        private final TreeSet<Integer> underWay = new TreeSet<>();
        private int last;

        synchronized int begin()
        {
            underWay.add(++last);
            return last;
        }

        synchronized void end(int key)
        {
            underWay.remove(key);
        }

        synchronized int written()
        {
            return underWay.isEmpty() ? last : underWay.first() - 1;
        }
    }

    /** F4, F8: each client reads what it has just written, unless a TRUNCATE has come between. */
    @Test
    void truncate(Cql cql) throws Exception
    {
        cql.run("CREATE TABLE t (k int PRIMARY KEY, v int) WITH memtable = 'cassiterite'");
        NativeReads reads = new NativeReads(cql, "SELECT v FROM changesunderloadtest.t WHERE k = ?");
        cql.run("INSERT INTO t (k, v) VALUES (0, 0)");
        reads.awaitNative(0);

        AtomicInteger truncates = new AtomicInteger(); // odd while one runs
        Keys keys = new Keys();
        List<Future<?>> running = load(() -> {
            int k = keys.begin();
            int epoch = truncates.get();
            cql.run("INSERT INTO changesunderloadtest.t (k, v) VALUES (?, ?)", k, -k);
            keys.end(k);
            for (int i = 0; i < 5; i++)
            {
                List<Row> rows = reads.read(k);
                if (epoch % 2 == 0 && truncates.get() == epoch)
                    assertEquals(-k, rows.get(0).getInt("v"));
            }
        });
        for (int i = 0; i < 15; i++)
        {
            awaitAnswers(reads, running);
            int last = keys.written();
            truncates.incrementAndGet();
            cql.run("TRUNCATE changesunderloadtest.t");
            for (int k = last; k > last - 20; k--)
                assertEquals(List.of(), reads.read(k));
            truncates.incrementAndGet();
        }
        finish(running);
    }

    /** F15: a value of a column is seen by all who read after it was written. */
    @Test
    void addColumns(Cql cql) throws Exception
    {
        cql.run("CREATE TABLE c (k int PRIMARY KEY, v int) WITH memtable = 'cassiterite'");
        NativeReads reads = new NativeReads(cql, "SELECT * FROM changesunderloadtest.c WHERE k = ?");
        cql.run("INSERT INTO c (k, v) VALUES (0, 0)");
        reads.awaitNative(0);

        AtomicInteger columns = new AtomicInteger();
        List<Future<?>> running = load(() -> {
            int expected = columns.get();
            Row row = reads.read(0).get(0);
            assertTrue(row.getColumnDefinitions().size() >= 2 + expected);
            if (expected > 0)
                assertEquals(expected, row.getInt("c" + expected));
        });
        for (int i = 1; i <= 15; i++)
        {
            cql.run("ALTER TABLE changesunderloadtest.c ADD c" + i + " int");
            cql.run("UPDATE changesunderloadtest.c SET c" + i + " = ? WHERE k = 0", i);
            columns.set(i);
            awaitAnswers(reads, running);
        }
        finish(running);
    }

    /** F15, F24: the statement's id is the same all the time. */
    @Test
    void dropAndCreate(Cql cql) throws Exception
    {
        AtomicInteger tables = new AtomicInteger(); // odd while there is a table with the row of its number
        createTable(cql, 0);
        NativeReads reads = new NativeReads(cql, "SELECT v FROM changesunderloadtest.d WHERE k = ?");
        reads.awaitNative(0);
        tables.set(1);
        List<Future<?>> running = load(() -> {
            int epoch = tables.get();
            if (epoch % 2 == 0)
                return;
            try
            {
                List<Row> rows = reads.read(0);
                if (tables.get() == epoch)
                    assertEquals(epoch / 2, rows.get(0).getInt("v"));
            }
            catch (RuntimeException e)
            {
                assertTrue(tables.get() != epoch, "a table that is not there is refused");
            }
        });
        for (int i = 1; i <= 10; i++)
        {
            awaitAnswers(reads, running);
            tables.incrementAndGet();
            cql.run("DROP TABLE changesunderloadtest.d");
            createTable(cql, i);
            tables.incrementAndGet();
        }
        awaitAnswers(reads, running);
        finish(running);
    }

    private static void createTable(Cql cql, int value)
    {
        cql.run("CREATE TABLE changesunderloadtest.d (k int PRIMARY KEY, v int) WITH memtable = 'cassiterite'");
        cql.run("INSERT INTO changesunderloadtest.d (k, v) VALUES (0, " + value + ')');
    }
}
