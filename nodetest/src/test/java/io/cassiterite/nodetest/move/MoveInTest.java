/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.move;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.cassiterite.nodetest.Checkout;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;
import io.cassiterite.nodetest.Pause;
import io.cassiterite.nodetest.index.Indexes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The sstables of filled tables move into the engine while the tables are used: no row is lost, none that was deleted returns. */
@Timeout(1200)
class MoveInTest
{
    private static final Duration BOUND = Duration.ofMinutes(3);
    private static final int BULK_ROWS = 600;

    /** So that small tables move in many chunks. */
    private static NodeBuilder engine(String name)
    {
        return EnteringNode.engine(name).jvm("-Dcassiterite.move_chunk_bytes=2000");
    }

    private static FilledTables fill(Node stock, Cql cql, long seed)
    {
        cql.freshKeyspace(FilledTables.KEYSPACE);
        cql.run("USE " + FilledTables.KEYSPACE);
        FilledTables tables = FilledTables.create(cql, EnteringNode.KEY, seed);
        for (int flush = 0; flush < 3; flush++)
        {
            tables.write(60);
            stock.flush(FilledTables.KEYSPACE);
        }
        tables.changeColumns();
        tables.write(40);
        tables.same();
        cql.run("CREATE TABLE bulk (k int PRIMARY KEY, v text) WITH memtable = '" + EnteringNode.KEY + "'");
        for (int k = 0; k < BULK_ROWS; k++)
            cql.run("INSERT INTO bulk (k, v) VALUES (?, ?)", k, "x".repeat(1_000));
        stock.flush(FilledTables.KEYSPACE, "bulk");
        return tables;
    }

    private static void same(FilledTables tables, Cql cql)
    {
        tables.same();
        assertEquals(BULK_ROWS, cql.rows("SELECT k FROM bulk").size());
    }

    private static void direct(Node node, String direction)
    {
        for (String table : FilledTables.moving())
            node.direct(FilledTables.KEYSPACE, table, direction);
        node.move(FilledTables.KEYSPACE, "bulk", direction).success();
    }

    private static void awaitMoved(Node node)
    {
        node.awaitMovedIn(FilledTables.KEYSPACE, BOUND);
    }

    private static List<String> sorted(List<String> rows)
    {
        return rows.stream().sorted().collect(Collectors.toList());
    }

    @Test
    void allKindsOfTablesMoveInWhileTheyAreUsed() throws IOException
    {
        String name = "movein";
        FilledTables tables;
        try (Node stock = EnteringNode.stock(name).start(); Cql cql = stock.cql())
        {
            tables = fill(stock, cql, 11);
            stock.killNine();
        }
        try (Node node = engine(name).keep().start(); Cql cql = node.cql(FilledTables.KEYSPACE))
        {
            tables = FilledTables.again(tables, cql);
            tables.write(30);
            cql.run("CREATE INDEX by_w ON changed_engine (w)");
            assertTrue(node.move("status").success().contains("wide_engine\thold"));
            direct(node, "in");
            for (int i = 0; i < 5; i++)
            {
                tables.write(10);
                same(tables, cql);
            }
            awaitMoved(node);
            same(tables, cql);
            Indexes.awaitBuilt(cql, FilledTables.KEYSPACE, "by_w");
            assertEquals(sorted(cql.texts("SELECT k, c FROM changed_stock WHERE w < 50 ALLOW FILTERING")),
                         sorted(cql.texts("SELECT k, c FROM changed_engine WHERE w < 50")));
            node.compact(FilledTables.KEYSPACE);
            same(tables, cql);
            assertEquals(List.of(), node.log().errors());
            node.killNine();
        }
        try (Node again = engine(name).keep().start(); Cql cql = again.cql(FilledTables.KEYSPACE))
        {
            tables = FilledTables.again(tables, cql);
            same(tables, cql);
            cql.run("DROP INDEX by_w");
            turnHalfWay(again, tables);
            again.stop();
        }
        try (Node stock = EnteringNode.stock(name).keep().start(); Cql cql = stock.cql(FilledTables.KEYSPACE))
        {
            tables = FilledTables.again(tables, cql);
            same(tables, cql);
            tables.write(20);
            stock.compact(FilledTables.KEYSPACE);
            same(tables, cql);
        }
        Checkout.delete(Checkout.nodes().resolve(name));
    }

    /** Out and in again, and out before the next end of the node. */
    private static void turnHalfWay(Node node, FilledTables tables)
    {
        direct(node, "out");
        tables.write(10);
        direct(node, "in");
        tables.write(10);
        tables.same();
        direct(node, "out");
        node.nodetool("drain").success();
        node.log().await("filled.wide_engine has left the engine: [1-9]\\d* sstables", BOUND);
    }

    /** Killed at any moment, over and over, until all has moved. */
    @Test
    void aMoveThatIsKilledGoesOn() throws IOException
    {
        String name = "killedmove";
        Random random = new Random(5);
        FilledTables tables;
        try (Node stock = EnteringNode.stock(name).start(); Cql cql = stock.cql())
        {
            tables = fill(stock, cql, 12);
            stock.stop();
        }
        boolean directed = false;
        for (int kill = 0; kill < 4; kill++)
            try (Node node = engine(name).keep().start(); Cql cql = node.cql(FilledTables.KEYSPACE))
            {
                tables = FilledTables.again(tables, cql);
                same(tables, cql);
                if (!directed)
                    direct(node, "in");
                directed = true;
                tables.write(5);
                FilledTables.keepOfStock(node);
                Pause.millis(random.nextInt(1500));
                node.killNine();
            }
        try (Node node = engine(name).keep().start(); Cql cql = node.cql(FilledTables.KEYSPACE))
        {
            tables = FilledTables.again(tables, cql);
            awaitMoved(node);
            same(tables, cql);
            node.compact(FilledTables.KEYSPACE);
            same(tables, cql);
        }
        Checkout.delete(Checkout.nodes().resolve(name));
    }

    /** M6: at any moment of a move, neither of them spares a row. */
    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void truncateAndDropSpareNothing(boolean snapshots) throws IOException
    {
        String name = "truncatedmove";
        Random random = new Random(6);
        int rounds = 6;
        try (Node stock = EnteringNode.stock(name).start(); Cql cql = stock.cql())
        {
            cql.freshKeyspace(FilledTables.KEYSPACE);
            cql.run("USE " + FilledTables.KEYSPACE);
            for (int i = 0; i < rounds; i++)
            {
                EmptiedTables.fill(cql, i, 200);
                stock.flush(FilledTables.KEYSPACE, "t" + i);
            }
            stock.stop();
        }
        try (Node node = engine(name).keep().yaml("auto_snapshot", Boolean.toString(snapshots)).start();
             Cql cql = node.cql(FilledTables.KEYSPACE))
        {
            for (int i = 0; i < rounds; i++)
            {
                if (i % 3 == 1)
                    cql.run("INSERT INTO t" + i + " (k, v) VALUES (1000, 'not pristine')");
                node.direct(FilledTables.KEYSPACE, "t" + i, "in");
                Pause.millis(random.nextInt(700));
                EmptiedTables.empty(cql, i);
            }
            EmptiedTables.assertEmpty(cql, rounds);
            Pause.millis(3000);
            EmptiedTables.assertEmpty(cql, rounds);
            node.killNine();
        }
        try (Node node = engine(name).keep().start(); Cql cql = node.cql(FilledTables.KEYSPACE))
        {
            EmptiedTables.assertEmpty(cql, rounds);
        }
        Checkout.delete(Checkout.nodes().resolve(name));
    }
}
