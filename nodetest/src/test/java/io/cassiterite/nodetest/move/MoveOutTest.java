/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.move;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.cassiterite.nodetest.Await;
import io.cassiterite.nodetest.Checkout;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;
import io.cassiterite.nodetest.Pause;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Rows of tables leave the engine while the tables are used: none is lost, none that was deleted returns. */
@Timeout(1200)
class MoveOutTest
{
    static final Duration BOUND = Duration.ofMinutes(3);
    static final int BULK_ROWS = 5_000;

    /** So that small tables leave in rounds. */
    static NodeBuilder engine(String name)
    {
        return EnteringNode.engine(name).jvm("-Dcassiterite.move_rest_bytes=20000");
    }

    static void fillBulk(Cql cql)
    {
        Random random = new Random(1);
        cql.run("CREATE TABLE bulk (k int PRIMARY KEY, v text) WITH memtable = '" + EnteringNode.KEY + "'"
                + " AND compaction = {'class': 'LeveledCompactionStrategy', 'sstable_size_in_mb': 1}");
        for (int k = 0; k < BULK_ROWS; k++)
            cql.run("INSERT INTO bulk (k, v) VALUES (?, ?)", k, Stream.generate(() -> Long.toString(random.nextLong(), 36)).limit(80)
                                                                       .reduce("", String::concat));
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
        node.direct(FilledTables.KEYSPACE, "bulk", direction);
    }

    static void awaitReady(Node node, long tables)
    {
        Await.until("all are ready", BOUND,
                    () -> node.moves().lines()
                              .filter(line -> line.contains("\tout\t") && line.contains("ready: ")).count() == tables);
    }

    private static int sstables(Node node, String table)
    {
        String line = node.moves().lines().filter(status -> status.contains("\t" + table + "\t")).findFirst()
                          .orElseThrow();
        return Integer.parseInt(line.split("\t")[3]);
    }

    @Test
    void allKindsOfTablesMoveOutWhileTheyAreUsed() throws IOException
    {
        String name = "moveout";
        FilledTables tables;
        try (Node node = engine(name).start(); Cql cql = node.cql())
        {
            cql.freshKeyspace(FilledTables.KEYSPACE);
            cql.run("USE " + FilledTables.KEYSPACE);
            tables = FilledTables.create(cql, EnteringNode.KEY, 21);
            tables.write(120);
            node.flush(FilledTables.KEYSPACE);
            tables.changeColumns();
            tables.write(40);
            fillBulk(cql);
            direct(node, "out");
            for (int i = 0; i < 6; i++)
            {
                tables.write(20);
                same(tables, cql);
            }
            awaitReady(node, FilledTables.moving().size() + 1);
            same(tables, cql);
            assertTrue(sstables(node, "bulk") > 3, "leveled");
            tables.changeColumns();
            tables.write(30);
            node.compact(FilledTables.KEYSPACE);
            same(tables, cql);
            assertEquals(List.of(), node.log().errors());
            node.killNine();
        }
        try (Node again = engine(name).keep().start(); Cql cql = again.cql(FilledTables.KEYSPACE))
        {
            tables = FilledTables.again(tables, cql);
            same(tables, cql);
            tables.write(20);
            awaitReady(again, FilledTables.moving().size() + 1);
            same(tables, cql);
            again.nodetool("drain").success();
            again.log().await("filled.bulk has left the engine: ", BOUND);
            again.stop();
            assertEquals(List.of(), again.log().errors());
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

    /** In, out and in again at random moments, and killed at some of them. */
    @Test
    void tablesTurnHalfWay() throws IOException
    {
        String name = "turned";
        Random random = new Random(7);
        FilledTables tables = null;
        for (int start = 0; start < 3; start++)
            try (Node node = (start == 0 ? engine(name) : engine(name).keep()).start(); Cql cql = node.cql())
            {
                if (start == 0)
                {
                    cql.freshKeyspace(FilledTables.KEYSPACE);
                    cql.run("USE " + FilledTables.KEYSPACE);
                    tables = FilledTables.create(cql, EnteringNode.KEY, 22);
                    tables.write(100);
                    fillBulk(cql);
                }
                else
                {
                    cql.run("USE " + FilledTables.KEYSPACE);
                    tables = FilledTables.again(tables, cql);
                }
                for (String direction : List.of("out", "in", "out", "hold", "out"))
                {
                    direct(node, direction);
                    tables.write(random.nextInt(15));
                    Pause.millis(random.nextInt(1500));
                    same(tables, cql);
                }
                node.killNine();
            }
        try (Node node = engine(name).keep().start(); Cql cql = node.cql(FilledTables.KEYSPACE))
        {
            tables = FilledTables.again(tables, cql);
            awaitReady(node, FilledTables.moving().size() + 1);
            same(tables, cql);
            direct(node, "in");
            node.awaitMovedIn(FilledTables.KEYSPACE, BOUND);
            Await.untilAsserted(BOUND, () -> assertEquals(Set.of(), filesOfBulk(node.base(), ""), "left by rounds that ended early"));
            node.compact(FilledTables.KEYSPACE);
            same(tables, cql);
        }
        Checkout.delete(Checkout.nodes().resolve(name));
    }

    /** Of several data directories each has its part of the ring. */
    @Test
    void rowsLeaveIntoTheFoldersWhereTheyBelong() throws IOException
    {
        String name = "outdisks";
        Path base = Checkout.nodes().resolve(name);
        String disks = "[" + base.resolve("data") + ", " + base.resolve("data2") + "]";
        try (Node node = engine(name).yaml("data_file_directories", disks).start(); Cql cql = node.cql())
        {
            cql.freshKeyspace(FilledTables.KEYSPACE);
            cql.run("USE " + FilledTables.KEYSPACE);
            fillBulk(cql);
            node.direct(FilledTables.KEYSPACE, "bulk", "out");
            awaitReady(node, 1);
            Set<Path> sstables = filesOfBulk(base, "-Data.db");
            assertTrue(sstables.stream().anyMatch(path -> path.startsWith(base.resolve("data"))), sstables::toString);
            assertTrue(sstables.stream().anyMatch(path -> path.startsWith(base.resolve("data2"))), sstables::toString);
            node.nodetool("relocatesstables", FilledTables.KEYSPACE, "bulk").success();
            assertEquals(sstables, filesOfBulk(base, "-Data.db"));
            assertEquals(BULK_ROWS, cql.rows("SELECT k FROM bulk").size());
            assertEquals(List.of(), node.log().errors());
        }
        Checkout.delete(base);
    }

    private static Set<Path> filesOfBulk(Path base, String end)
    {
        try (Stream<Path> files = Files.walk(base))
        {
            return files.filter(path -> path.toString().contains("/bulk-") && path.toString().endsWith(end)
                                        && Files.isRegularFile(path) && !path.endsWith(EnteringNode.MARKER))
                        .collect(Collectors.toCollection(TreeSet::new));
        }
        catch (IOException | UncheckedIOException e)
        {
            throw new AssertionError("files come and go", e);
        }
    }

    /** M6: at any moment of a move, neither of them spares a row. */
    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void truncateAndDropSpareNothing(boolean snapshots) throws IOException
    {
        String name = "truncatedout";
        Random random = new Random(8);
        int rounds = 8;
        try (Node node = engine(name).yaml("auto_snapshot", Boolean.toString(snapshots)).start(); Cql cql = node.cql())
        {
            cql.freshKeyspace(FilledTables.KEYSPACE);
            cql.run("USE " + FilledTables.KEYSPACE);
            for (int i = 0; i < rounds; i++)
            {
                EmptiedTables.fill(cql, i, 300);
                node.direct(FilledTables.KEYSPACE, "t" + i, "out");
                Pause.millis(random.nextInt(500));
                EmptiedTables.empty(cql, i);
            }
            EmptiedTables.assertEmpty(cql, rounds);
            Pause.millis(3000);
            EmptiedTables.assertEmpty(cql, rounds);
            assertEquals(List.of(), node.log().errors());
            node.killNine();
        }
        try (Node node = engine(name).keep().start(); Cql cql = node.cql(FilledTables.KEYSPACE))
        {
            EmptiedTables.assertEmpty(cql, rounds);
        }
        Checkout.delete(Checkout.nodes().resolve(name));
    }
}
