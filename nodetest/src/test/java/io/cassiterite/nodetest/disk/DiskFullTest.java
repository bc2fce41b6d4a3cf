/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.disk;

import java.net.ConnectException;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

import com.datastax.oss.driver.api.core.servererrors.CoordinatorException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.cassiterite.nodetest.Await;
import io.cassiterite.nodetest.Checkout;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A store on a full disk: writes fail with a reason, nothing acknowledged is lost, and it resumes when there is space. */
@Timeout(value = 900, unit = TimeUnit.SECONDS)
class DiskFullTest
{
    private static final Duration RESUME_BOUND = Duration.ofSeconds(120);
    private static final int VALUE_BYTES = 32 << 10;
    private static final int MORE_THAN_FITS = 20_000;

    private final Path store = Checkout.nodes().resolve("disk-full-store");
    private final Blobs blobs = new Blobs("diskfull.t", VALUE_BYTES);

    private NodeBuilder node(String policy)
    {
        return Node.named("disk-full").heap("512m").yaml("disk_failure_policy", policy).yaml("memtable", String.join("\n",
            "",
            "  configurations:",
            "    skiplist:",
            "      class_name: SkipListMemtable",
            "    default:",
            "      inherits: skiplist",
            "    cassiterite:",
            "      class_name: io.cassiterite.memtable.CassiteriteMemtable",
            "      parameters:",
            "        directory: " + store.resolve("engine"),
            "        write_buffer_size: 8MiB"));
    }

    @Test
    void nothingAcknowledgedIsLostOnAFullDisk() throws Exception
    {
        try (SmallDisk disk = SmallDisk.mount(store, 64))
        {
            servesReadsAndResumes(disk);
            stopsAsThePolicyDemandsAndIsKilled(disk);
            try (Node node = node("stop").keep().start(); Cql cql = node.cql())
            {
                blobs.checkAll(cql);
                blobs.write(cql, 100);
                blobs.checkAll(cql);
            }
        }
    }

    private void servesReadsAndResumes(SmallDisk disk)
    {
        try (Node node = node("best_effort").start())
        {
            try (Cql cql = node.cql())
            {
                cql.freshKeyspace("diskfull");
                blobs.create(cql);
                cql.run("CREATE TABLE diskfull.gone (k int PRIMARY KEY) WITH memtable = 'cassiterite' AND allow_auto_snapshot = false");
                cql.run("INSERT INTO diskfull.gone (k) VALUES (1)");
                cql.run("CREATE TABLE diskfull.indexed (k int PRIMARY KEY, v int) WITH memtable = 'cassiterite'");
                cql.run("INSERT INTO diskfull.indexed (k, v) VALUES (1, 7)");
                CoordinatorException failure = blobs.writeUntilFailure(cql, MORE_THAN_FITS);
                assertNotNull(failure, "the disk is not full");
                node.log().await("FSWriteError", RESUME_BOUND);
                node.log().await("does not accept writes: NO_SPACE", RESUME_BOUND);
                blobs.checkAll(cql);
                assertThrows(CoordinatorException.class, () -> blobs.write(cql, 1));
                cql.run("DROP TABLE diskfull.gone");
                cql.run("CREATE INDEX by_v ON diskfull.indexed (v)");
                node.log().await("could not create index by_v", RESUME_BOUND);

                disk.resize(1024);
                node.log().await("accepts writes", RESUME_BOUND);
                Await.until("the dropped table goes from the store", RESUME_BOUND,
                            () -> cql.rows("SELECT * FROM cassiterite.tables WHERE index_name = '' ALLOW FILTERING").size() == 2);
                blobs.write(cql, 500);
                blobs.checkAll(cql);
            }
            node.restart();
            try (Cql cql = node.cql())
            {
                blobs.checkAll(cql);
                Await.until("the index is built", RESUME_BOUND, () -> cql.rows("SELECT * FROM system.\"IndexInfo\"").size() == 1);
                assertEquals(1, cql.rows("SELECT k FROM diskfull.indexed WHERE v = 7").size());
            }
            node.stop();
        }
    }

    /** As with stock tables, the policy `stop` ends gossip and native transport. */
    private void stopsAsThePolicyDemandsAndIsKilled(SmallDisk disk) throws Exception
    {
        try (Node node = node("stop").keep().start())
        {
            try (Cql cql = node.cql())
            {
                disk.leave(20);
                assertThrows(RuntimeException.class, () -> blobs.write(cql, MORE_THAN_FITS));
            }
            node.log().await("Stopping transports as disk_failure_policy is stop", RESUME_BOUND);
            node.log().await("Stop listening for CQL clients", RESUME_BOUND);
            assertThrows(ConnectException.class, () -> new Socket(node.cqlAddress().getAddress(), node.cqlAddress().getPort()));
            assertTrue(node.nodetool("info").success().matches("(?s).*Gossip active +: false.*"));
            node.killNine();
        }
        disk.resize(1024);
    }
}
