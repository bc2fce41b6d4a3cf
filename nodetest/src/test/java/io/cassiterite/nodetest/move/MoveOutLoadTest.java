/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.move;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.cassiterite.nodetest.Await;
import io.cassiterite.nodetest.Checkout;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.Pause;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Rows leave the engine round after round under clients that check every answer, and a node that is killed at any moment. */
@Timeout(1200)
class MoveOutLoadTest
{
    private static final String NAME = "moveoutload";
    private static final int KILLS = 5;

    private static void direct(Node node, String direction)
    {
        for (String table : List.of("ledger", "counts", "bulk"))
            node.direct(FilledTables.KEYSPACE, table, direction);
    }

    private static void awaitOrFail(Ledger ledger, int millis)
    {
        for (int waited = 0; waited < millis && !ledger.hasFailed(); waited += 100)
            Pause.millis(100);
    }

    @Test
    void everyAcknowledgedChangeIsThere() throws IOException
    {
        Random random = new Random(9);
        Ledger ledger;
        try (Node node = MoveOutTest.engine(NAME).start(); Cql cql = node.cql())
        {
            cql.freshKeyspace(FilledTables.KEYSPACE);
            cql.run("USE " + FilledTables.KEYSPACE);
            ledger = Ledger.create(cql, FilledTables.KEYSPACE, EnteringNode.KEY);
            MoveOutTest.fillBulk(cql);
            Ledger.Clients clients = ledger.new Clients(cql);
            try (clients)
            {
                Await.until("they write", MoveOutTest.BOUND, () -> ledger.changes() > 1_000 || ledger.hasFailed());
                direct(node, "out");
                awaitOrFail(ledger, 20_000);
            }
            assertEquals(List.of(), node.log().errors());
            int rounds = node.log().grep("they have left the engine in").size();
            assertTrue(rounds > 5, rounds + " rounds");
            node.killNine();
        }
        for (int kill = 0; kill < KILLS; kill++)
            try (Node node = MoveOutTest.engine(NAME).keep().start(); Cql cql = node.cql(FilledTables.KEYSPACE))
            {
                ledger.check(cql);
                Ledger.Clients clients = ledger.new Clients(cql);
                try (clients)
                {
                    awaitOrFail(ledger, 1_000 + random.nextInt(4_000));
                    node.killNine();
                }
            }
        try (Node node = MoveOutTest.engine(NAME).keep().start(); Cql cql = node.cql(FilledTables.KEYSPACE))
        {
            ledger.check(cql);
            MoveOutTest.awaitReady(node, 3);
            ledger.check(cql);
            node.nodetool("drain").success();
            node.stop();
        }
        try (Node stock = EnteringNode.stock(NAME).keep().start(); Cql cql = stock.cql(FilledTables.KEYSPACE))
        {
            ledger.check(cql);
            stock.compact(FilledTables.KEYSPACE);
            ledger.check(cql);
        }
        Checkout.delete(Checkout.nodes().resolve(NAME));
    }

    /** M7: whatever of a snapshot is taken first, the engine's part or the sstables. */
    @Test
    void eachSnapshotHasAllRows() throws IOException
    {
        String name = "snapshotsout";
        int snapshots = 10;
        try (Node node = MoveOutTest.engine(name).yaml("compaction_throughput", "1MiB/s").start(); Cql cql = node.cql())
        {
            cql.freshKeyspace(FilledTables.KEYSPACE);
            cql.run("USE " + FilledTables.KEYSPACE);
            MoveOutTest.fillBulk(cql);
            for (int i = 0; i < snapshots; i++)
            {
                if (i % 3 == 1)
                    node.direct(FilledTables.KEYSPACE, "bulk", "out");
                if (i % 3 == 0)
                    node.direct(FilledTables.KEYSPACE, "bulk", "in");
                List<String> command = new ArrayList<>(List.of("snapshot", "-t", "s" + i, "-kt", FilledTables.KEYSPACE + ".bulk"));
                if (i % 2 == 0)
                    command.add("--skip-flush");
                node.nodetool(command.toArray(new String[0])).success();
            }
            for (int i = 0; i < snapshots; i++)
                assertEquals(MoveOutTest.BULK_ROWS, load(node, cql, "s" + i), "snapshot " + i);
            assertEquals(List.of(), node.log().errors());
        }
        Checkout.delete(Checkout.nodes().resolve(name));
    }

    /** Into a table of its own, which has the rows of both homes then. */
    private static int load(Node node, Cql cql, String tag) throws IOException
    {
        String table = "loaded_" + tag;
        cql.run("CREATE TABLE " + table + " (k int PRIMARY KEY, v text) WITH memtable = '" + EnteringNode.KEY + "'");
        node.direct(FilledTables.KEYSPACE, table, "hold");
        Path snapshot = EnteringNode.files(node, tag).stream().filter(path -> path.toString().contains("/bulk-")).findFirst()
                                    .orElseThrow();
        Path engine = snapshot.resolve(".cassiterite");
        if (Files.exists(engine))
            node.snapshotLoad(FilledTables.KEYSPACE, table, engine).success();
        Path copies = Files.createDirectories(node.base().resolve("copies").resolve(tag));
        try (Stream<Path> files = Files.list(snapshot))
        {
            for (Path file : files.filter(Files::isRegularFile).collect(Collectors.toList()))
                Files.copy(file, copies.resolve(file.getFileName()));
        }
        node.nodetool("import", FilledTables.KEYSPACE, table, copies.toString()).success();
        return cql.rows("SELECT k FROM " + table).size();
    }
}
