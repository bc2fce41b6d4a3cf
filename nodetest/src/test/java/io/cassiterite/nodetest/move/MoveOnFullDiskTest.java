/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.move;

import java.nio.file.Path;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.cassiterite.nodetest.Await;
import io.cassiterite.nodetest.Checkout;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;
import io.cassiterite.nodetest.disk.SmallDisk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * M14: a move does not begin without room, and where the disk is full in the middle of it, nothing is lost; it says that it waits
 * for space, and goes on when there is.
 */
@Timeout(900)
class MoveOnFullDiskTest
{
    private static final String STORE = "memtable.configurations.cassiterite.parameters.directory";
    private static final int ROWS = 400;
    private static final int VALUE_CHARS = 20_000;
    private static final long MUCH_MEBIBYTES = 1_500;

    private static void fill(Cql cql)
    {
        cql.freshKeyspace(FilledTables.KEYSPACE);
        cql.run("USE " + FilledTables.KEYSPACE);
        cql.run("CREATE TABLE t (k int PRIMARY KEY, v text) WITH memtable = '" + EnteringNode.KEY + "'");
        for (int k = 0; k < ROWS; k++)
            cql.run("INSERT INTO t (k, v) VALUES (?, ?)", k, value(k));
    }

    /** Random, so that no compression makes it small. */
    private static String value(int key)
    {
        return new Random(key).ints(VALUE_CHARS, ' ', '~').collect(StringBuilder::new, StringBuilder::appendCodePoint,
                                                                   StringBuilder::append).toString();
    }

    private static void check(Cql cql)
    {
        for (int k = 0; k < ROWS; k++)
            assertEquals(value(k), cql.rows("SELECT v FROM t WHERE k = ?", k).get(0).getString(0), "row " + k);
    }

    private static void awaitSpaceWanted(Node node)
    {
        Await.until("it waits for space", MoveOutTest.BOUND, () -> node.moves().contains("space: "));
    }

    private static void direct(Node node, String direction)
    {
        node.direct(FilledTables.KEYSPACE, "t", direction);
    }

    private static void assertNothingFailed(Node node)
    {
        assertTrue(node.isRunning());
        assertEquals(0, node.log().grep("The move of filled.t .* failed").size());
    }

    private static NodeBuilder slow(NodeBuilder node)
    {
        return node.yaml("compaction_throughput", "200KiB/s").yaml("disk_failure_policy", "stop");
    }

    @Test
    void movingOutWaitsForRoom()
    {
        String name = "fullout";
        Path base = Checkout.nodes().resolve(name);
        Path folder = Checkout.nodes().resolve(name + "-disk");
        try (SmallDisk disk = SmallDisk.mount(folder, 200);
             Node node = slow(MoveOutTest.engine(name)).yaml("data_file_directories", "[" + disk.path().resolve("data") + "]")
                                                       .yaml("local_system_data_file_directory", base.resolve("system").toString())
                                                       .yaml(STORE, base.resolve("engine").toString()).start();
             Cql cql = node.cql())
        {
            fill(cql);
            direct(node, "out");
            awaitSpaceWanted(node);
            assertEquals(0, node.log().grep("sstables .* have rows of the engine").size());
            check(cql);

            disk.resize(MUCH_MEBIBYTES);
            direct(node, "out"); // at once
            long before = disk.usedMebibytes();
            Await.until("sstables are written", MoveOutTest.BOUND, () -> disk.usedMebibytes() > before);
            disk.leave(0);
            awaitSpaceWanted(node);
            assertNothingFailed(node);
            check(cql);

            disk.resize(MUCH_MEBIBYTES);
            node.nodetool("setcompactionthroughput", "0").success();
            direct(node, "out");
            MoveOutTest.awaitReady(node, 1);
            check(cql);
            assertNothingFailed(node);
            node.killNine();
        }
        Checkout.delete(base);
    }

    @Test
    void movingInWaitsForRoom()
    {
        String name = "fullin";
        Path base = Checkout.nodes().resolve(name);
        try (Node stock = EnteringNode.stock(name).start(); Cql cql = stock.cql())
        {
            fill(cql);
            stock.flush(FilledTables.KEYSPACE);
            stock.stop();
        }
        try (SmallDisk disk = SmallDisk.mount(Checkout.nodes().resolve(name + "-disk"), 200);
             Node node = slow(EnteringNode.engine(name)).keep().jvm("-Dcassiterite.move_chunk_bytes=1000000")
                                                        .yaml(STORE, disk.path().resolve("engine").toString()).start();
             Cql cql = node.cql(FilledTables.KEYSPACE))
        {
            direct(node, "in");
            awaitSpaceWanted(node);
            assertEquals(0, node.log().grep("move into the engine").size());
            check(cql);

            disk.resize(MUCH_MEBIBYTES);
            direct(node, "in");
            long before = disk.usedMebibytes();
            Await.until("rows are written", MoveOutTest.BOUND, () -> disk.usedMebibytes() > before + 1);
            disk.leave(0);
            awaitSpaceWanted(node);
            assertNothingFailed(node);
            check(cql);

            disk.resize(MUCH_MEBIBYTES);
            node.nodetool("setcompactionthroughput", "0").success();
            direct(node, "in");
            node.awaitMovedIn(FilledTables.KEYSPACE, MoveOutTest.BOUND);
            check(cql);
            assertNothingFailed(node);
            node.killNine();
        }
        Checkout.delete(base);
    }
}
