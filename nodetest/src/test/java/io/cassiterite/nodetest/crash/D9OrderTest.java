/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.crash;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchStatementBuilder;
import com.datastax.oss.driver.api.core.cql.DefaultBatchType;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeTest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * D9: a row of the engine survives a crash only after what Cassandra wrote before it. Under {@code periodic}, a killed
 * process loses the commit log's last tenth of a second, and with it what Paxos and the batch log had noted.
 */
@NodeTest(own = true)
class D9OrderTest
{
    private static final Logger logger = LoggerFactory.getLogger(D9OrderTest.class);
    private static final String KEYSPACE = "d9ordertest";
    private static final int WRITERS = 24;
    private static final int PARTS = 60;
    private static final long WRITE_MILLIS = 1500;
    private static final long REPLAY_SECONDS = 60;

    @Test
    void anOlderTransactionIsNotRepeatedOverANewerOne(Node node) throws InterruptedException
    {
        killAndCheckSteps(node);
    }

    /** Of this commit log nothing at all outlives the process before its sync. */
    @Test
    void norUnderDirectIo() throws InterruptedException
    {
        try (Node node = Node.named("d9ordertest-direct").yaml("commitlog_disk_access_mode", "direct")
                             .yaml("commitlog_sync_period", "700ms").start())
        {
            try (Cql cql = node.cql())
            {
                cql.freshKeyspace(KEYSPACE);
            }
            killAndCheckSteps(node);
        }
    }

    private static void killAndCheckSteps(Node node) throws InterruptedException
    {
        long[] done = new long[WRITERS];
        try (Cql cql = node.cql(KEYSPACE))
        {
            cql.run("CREATE TABLE steps (p int PRIMARY KEY, n bigint, text text) WITH memtable = 'cassiterite'");
            for (int p = 0; p < WRITERS; p++)
                cql.run("INSERT INTO steps (p, n, text) VALUES (?, 0, '0')", p);
            writeAndKill(node, p -> step(cql, p, done));
        }
        node.start();
        try (Cql cql = node.cql(KEYSPACE))
        {
            List<String> undone = new ArrayList<>();
            for (int p = 0; p < WRITERS; p++)
                if (stepFound(cql, p) < done[p])
                    undone.add("partition " + p + ": step " + done[p] + " was acknowledged, found " + stepFound(cql, p));
            assertEquals(List.of(), undone);
        }
    }

    private static void step(Cql cql, int partition, long[] done)
    {
        long next = done[partition] + 1;
        assertTrue(cql.run("UPDATE steps SET n = ?, text = ? WHERE p = ? IF n = ?", next, Long.toString(next), partition,
                           done[partition]).wasApplied());
        done[partition] = next;
    }

    private static long stepFound(Cql cql, int partition)
    {
        return cql.session().execute(SimpleStatement.newInstance("SELECT n FROM steps WHERE p = " + partition)
                                                    .setConsistencyLevel(ConsistencyLevel.SERIAL)).one().getLong("n");
    }

    @Test
    void aBatchIsNotLeftInPieces(Node node) throws InterruptedException
    {
        long[] next = new long[WRITERS];
        try (Cql cql = node.cql(KEYSPACE))
        {
            cql.run("CREATE TABLE parts (b text, part int, v text, PRIMARY KEY ((b, part))) WITH memtable = 'cassiterite'");
            writeAndKill(node, writer -> batch(cql, writer + "/" + next[writer]++));
        }
        node.start();
        try (Cql cql = node.cql(KEYSPACE))
        {
            Set<String> pieces = pieces(cql, next);
            for (long end = System.nanoTime() + REPLAY_SECONDS * 1_000_000_000; !pieces.isEmpty() && System.nanoTime() < end;)
            {
                Thread.sleep(500);
                pieces = pieces(cql, next);
            }
            assertEquals(Set.of(), pieces);
        }
    }

    private static void batch(Cql cql, String batch)
    {
        BatchStatementBuilder parts = BatchStatement.builder(DefaultBatchType.LOGGED);
        for (int part = 0; part < PARTS; part++)
            parts.addStatement(SimpleStatement.newInstance("INSERT INTO parts (b, part, v) VALUES (?, ?, 'value')", batch, part));
        cql.session().execute(parts.build());
    }

    /** The batches of which some parts are there, and some not; only the last ones of each writer can be. */
    private static Set<String> pieces(Cql cql, long[] next)
    {
        Set<String> pieces = new TreeSet<>();
        for (int writer = 0; writer < WRITERS; writer++)
        {
            for (long batch = Math.max(0, next[writer] - 2); batch < next[writer]; batch++)
            {
                String name = writer + "/" + batch;
                int found = 0;
                for (int part = 0; part < PARTS; part++)
                    found += cql.rows("SELECT v FROM parts WHERE b = ? AND part = ?", name, part).size();
                if (found != 0 && found != PARTS)
                    pieces.add(name + ": " + found + " of " + PARTS);
            }
        }
        return pieces;
    }

    // --- writers

    private interface Operation
    {
        void run(int writer);
    }

    private static void writeAndKill(Node node, Operation operation) throws InterruptedException
    {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < WRITERS; i++)
        {
            int writer = i;
            threads.add(new Thread(() -> runUntilKilled(operation, writer), "writer-" + i));
        }
        threads.forEach(Thread::start);
        Thread.sleep(WRITE_MILLIS);
        node.killNine();
        for (Thread thread : threads)
            thread.join();
    }

    private static void runUntilKilled(Operation operation, int writer)
    {
        try
        {
            while (true)
                operation.run(writer);
        }
        catch (DriverException e)
        {
            logger.info("writer {} stops: {}", writer, e.getClass().getSimpleName());
        }
    }
}
