/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.move;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

import com.datastax.oss.driver.api.core.DriverException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.cassiterite.nodetest.Await;
import io.cassiterite.nodetest.Checkout;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.Output;
import io.cassiterite.nodetest.Pause;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tables leave the engine with a drain, and may come back: no row is lost, none that was deleted returns. */
@Timeout(900)
class LeaveTest
{
    private static final int WRITERS = 4;
    private static final Duration BOUND = Duration.ofMinutes(2);

    @Test
    void tablesLeaveWithADrainAndComeBack() throws IOException
    {
        String name = "leave";
        FilledTables tables;
        try (Node node = EnteringNode.engine(name).start(); Cql cql = node.cql())
        {
            cql.freshKeyspace(FilledTables.KEYSPACE);
            cql.run("USE " + FilledTables.KEYSPACE);
            tables = FilledTables.create(cql, EnteringNode.KEY, 2);
            tables.write(100);
            node.flush(FilledTables.KEYSPACE);
            tables.changeColumns();
            tables.write(40);
            assertIndexHoldsItBack(node, cql);
            for (String table : FilledTables.moving())
                assertTrue(node.move(FilledTables.KEYSPACE, table, "out").success().contains(table));
            tables.write(20);
            node.nodetool("drain").success();
            node.log().await("filled.wide_engine has left the engine: [1-9]\\d* sstables", BOUND);
            node.stop();
            assertEquals(List.of(), node.log().errors());
        }
        try (Node stock = EnteringNode.stock(name).keep().start(); Cql cql = stock.cql(FilledTables.KEYSPACE))
        {
            tables = FilledTables.again(tables, cql);
            tables.same();
            tables.write(60);
            stock.compact(FilledTables.KEYSPACE);
            tables.same();
            stock.killNine();
        }
        try (Node held = EnteringNode.engine(name).keep().start(); Cql cql = held.cql(FilledTables.KEYSPACE))
        {
            tables = FilledTables.again(tables, cql);
            tables.same();
            assertTrue(held.move("status").success().contains("wide_engine\thold"));
            tables.write(60);
            for (String table : FilledTables.moving())
                held.direct(FilledTables.KEYSPACE, table, "out");
            held.stop(); // without a drain before: the stop has one of its own
        }
        try (Node stock = EnteringNode.stock(name).keep().start(); Cql cql = stock.cql(FilledTables.KEYSPACE))
        {
            FilledTables.again(tables, cql).same();
        }
        Checkout.delete(Checkout.nodes().resolve(name));
    }

    private static void assertIndexHoldsItBack(Node node, Cql cql)
    {
        cql.run("CREATE INDEX by_w ON changed_engine (w)");
        Output refused = node.move(FilledTables.KEYSPACE, "changed_engine", "out");
        assertFalse(refused.exitCode() == 0);
        assertTrue(refused.text().contains("it has indexes of the engine") && refused.text().contains("Drop them first"), refused.text());
        cql.run("DROP INDEX by_w");
        assertFalse(node.move(FilledTables.KEYSPACE, "changed_stock", "out").exitCode() == 0);
    }

    /** M11: behind the scan of the rows there is no write that was answered. */
    @Test
    void whatWasAcknowledgedDuringTheDrainIsThere() throws IOException, InterruptedException
    {
        String name = "leaveunderload";
        Set<Integer> acknowledged = ConcurrentHashMap.newKeySet();
        try (Node node = EnteringNode.engine(name).start(); Cql cql = node.cql())
        {
            cql.freshKeyspace(FilledTables.KEYSPACE);
            cql.run("CREATE TABLE filled.t (k int PRIMARY KEY, v text) WITH memtable = '" + EnteringNode.KEY + "'");
            node.direct(FilledTables.KEYSPACE, "t", "out");
            AtomicBoolean over = new AtomicBoolean();
            List<Thread> writers = writers(cql, acknowledged, over);
            Await.until("they write", BOUND, () -> acknowledged.size() > 500);
            node.nodetool("drain").success();
            over.set(true);
            for (Thread writer : writers)
                writer.join();
            node.stop();
        }
        try (Node stock = EnteringNode.stock(name).keep().start(); Cql cql = stock.cql())
        {
            Set<Integer> found = cql.rows("SELECT k FROM filled.t").stream().map(row -> row.getInt(0)).collect(Collectors.toSet());
            acknowledged.removeAll(found);
            assertEquals(Set.of(), acknowledged, "rows that were lost");
        }
        Checkout.delete(Checkout.nodes().resolve(name));
    }

    private static List<Thread> writers(Cql cql, Set<Integer> acknowledged, AtomicBoolean over)
    {
        AtomicInteger next = new AtomicInteger();
        List<Thread> writers = new ArrayList<>();
        for (int i = 0; i < WRITERS; i++)
            writers.add(new Thread(() -> {
                while (!over.get())
                    try
                    {
                        int key = next.getAndIncrement();
                        cql.run("INSERT INTO filled.t (k, v) VALUES (?, ?)", key, "x".repeat(100));
                        acknowledged.add(key);
                    }
                    catch (DriverException e)
                    {
                        Pause.millis(1); // the node drains
                    }
            }));
        writers.forEach(Thread::start);
        return writers;
    }

    @Test
    void aNodeThatIsKilledWhileATableLeavesLosesNothing() throws IOException, InterruptedException
    {
        String name = "killedleaving";
        int rows = 3_000;
        try (Node node = EnteringNode.engine(name).start(); Cql cql = node.cql())
        {
            cql.freshKeyspace(FilledTables.KEYSPACE);
            cql.run("CREATE TABLE filled.t (k int PRIMARY KEY, v text) WITH compression = {'enabled': 'false'} AND memtable = '"
                    + EnteringNode.KEY + "'");
            for (int k = 0; k < rows; k++)
                cql.run("INSERT INTO filled.t (k, v) VALUES (?, ?)", k, "x".repeat(5_000));
            node.direct(FilledTables.KEYSPACE, "t", "out");
            Thread drain = new Thread(() -> node.nodetool("drain"));
            drain.start();
            node.log().await("filled.t leaves the engine: about", BOUND);
            node.killNine();
            drain.join();
        }
        EnteringNode.assertRefused(EnteringNode.stock(name).keep(), "now maps to TrieMemtable", "move it out");
        try (Node again = EnteringNode.engine(name).keep().start(); Cql cql = again.cql())
        {
            assertEquals(rows, cql.rows("SELECT k FROM filled.t").size());
            assertTrue(again.move("status").success().contains("t\tout"));
            again.nodetool("drain").success();
            again.stop();
        }
        try (Node stock = EnteringNode.stock(name).keep().start(); Cql cql = stock.cql())
        {
            assertEquals(rows, cql.rows("SELECT k FROM filled.t").size());
        }
        Checkout.delete(Checkout.nodes().resolve(name));
    }
}
