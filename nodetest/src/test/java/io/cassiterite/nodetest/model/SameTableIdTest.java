/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.model;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import io.cassiterite.nodetest.Checkout;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeTest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** D10: a dropped table leaves no files, and a table that gets the same id is another table, also after a crash. */
@NodeTest(own = true, yaml = "auto_snapshot: false")
class SameTableIdTest
{
    private static final int ROWS = 400;
    private static final int ROW_BYTES = 4096;
    private static final int LEFT_BYTES_MAX = 64 * 1024;

    private static void create(Cql cql, UUID id)
    {
        cql.run("CREATE TABLE sametableidtest.t (p int PRIMARY KEY, v blob, w int) WITH id = " + id + " AND memtable = 'cassiterite'");
    }

    private static void fill(Node node, Cql cql)
    {
        byte[] bytes = new byte[ROW_BYTES];
        for (int p = 0; p < ROWS; p++)
        {
            new Random(p).nextBytes(bytes);
            cql.run("INSERT INTO sametableidtest.t (p, v) VALUES (?, ?)", p, ByteBuffer.wrap(bytes.clone()));
        }
        node.flush("sametableidtest");
    }

    @Test
    void aDroppedTableIsGone(Node node) throws InterruptedException
    {
        UUID id = UUID.fromString("5b1e1d10-0000-11ef-8000-000000000010");
        try (Cql cql = node.cql())
        {
            long before = StoreFiles.sstBytes(node);
            create(cql, id);
            fill(node, cql);
            assertTrue(StoreFiles.sstBytes(node) > before + ROWS * ROW_BYTES / 2);
            cql.run("DROP TABLE sametableidtest.t");
            StoreFiles.awaitAtMost(node, before + LEFT_BYTES_MAX, Duration.ofSeconds(120));
            create(cql, id);
            assertEquals(List.of(), cql.texts("SELECT p, w FROM sametableidtest.t"));
            cql.run("INSERT INTO sametableidtest.t (p, w) VALUES (3, 3)");
            assertEquals(List.of("p=3, v=null, w=3"), cql.texts("SELECT * FROM sametableidtest.t"));
            node.killNine();
        }
        node.start();
        try (Cql cql = node.cql())
        {
            assertEquals(List.of("p=3, v=null, w=3"), cql.texts("SELECT * FROM sametableidtest.t"));
            cql.run("DROP TABLE sametableidtest.t");
            node.killNine();
        }
        node.start();
        try (Cql cql = node.cql())
        {
            create(cql, id);
            assertEquals(List.of(), cql.texts("SELECT * FROM sametableidtest.t"));
        }
    }

    /** As when a dropped table is restored from a snapshot's schema.cql into one with a stock memtable. */
    @Test
    void theIdMayGoToATableThatIsNotTheEngines(Node node)
    {
        UUID id = UUID.fromString("5b1e1d10-0000-11ef-8000-000000000012");
        try (Cql cql = node.cql())
        {
            create(cql, id);
            cql.run("INSERT INTO sametableidtest.t (p, w) VALUES (1, 1)");
            cql.run("DROP TABLE sametableidtest.t");
            cql.run("CREATE TABLE sametableidtest.t (p int PRIMARY KEY, v blob, w int) WITH id = " + id);
            cql.run("INSERT INTO sametableidtest.t (p, w) VALUES (2, 2)");
        }
        node.stop();
        node.start();
        try (Cql cql = node.cql())
        {
            assertEquals(List.of("p=2, v=null, w=2"), cql.texts("SELECT * FROM sametableidtest.t"));
            cql.run("DROP TABLE sametableidtest.t");
        }
    }

    /** A crash in a DROP may leave the store a table that the schema does not have: as an older copy of the store does. */
    @Test
    void rowsThatTheSchemaDoesNotKnowStayAway(Node node) throws IOException
    {
        UUID id = UUID.fromString("5b1e1d10-0000-11ef-8000-000000000011");
        Path store = node.base().resolve("cassiterite");
        Path copy = node.base().resolve("cassiterite.copy");
        try (Cql cql = node.cql())
        {
            cql.run("CREATE TABLE sametableidtest.other (p int PRIMARY KEY) WITH memtable = 'cassiterite'");
            create(cql, id);
            cql.run("INSERT INTO sametableidtest.t (p, w) VALUES (1, 1)");
        }
        node.stop();
        copy(store, copy);
        node.start();
        try (Cql cql = node.cql())
        {
            assertEquals(List.of("p=1, v=null, w=1"), cql.texts("SELECT * FROM sametableidtest.t"));
            cql.run("DROP TABLE sametableidtest.t");
        }
        node.stop();
        Checkout.delete(store);
        Files.move(copy, store);
        node.start();
        node.log().await("keeps the table sametableidtest.t with the id " + id + " and .* not in the schema", Duration.ofSeconds(60));
        try (Cql cql = node.cql())
        {
            assertEquals(1, cql.rows("SELECT * FROM cassiterite.table_state WHERE keyspace_name = 'sametableidtest' AND table_name = 't'"
                                     + " AND index_name = '' AND table_id = '" + id + "'").size());
            create(cql, id);
            assertEquals(List.of(), cql.texts("SELECT * FROM sametableidtest.t"));
            cql.run("INSERT INTO sametableidtest.t (p, w) VALUES (2, 2)");
            assertTrue(node.nodetool("listsnapshots").success().contains("found-"));
            node.killNine();
        }
        node.start();
        try (Cql cql = node.cql())
        {
            assertEquals(List.of("p=2, v=null, w=2"), cql.texts("SELECT * FROM sametableidtest.t"));
            cql.run("DROP TABLE sametableidtest.t");
            cql.run("DROP TABLE sametableidtest.other");
        }
    }

    private static void copy(Path from, Path to) throws IOException
    {
        List<Path> all;
        try (Stream<Path> tree = Files.walk(from))
        {
            all = tree.collect(Collectors.toList());
        }
        for (Path one : all)
            Files.copy(one, to.resolve(from.relativize(one).toString()), StandardCopyOption.COPY_ATTRIBUTES);
    }
}
