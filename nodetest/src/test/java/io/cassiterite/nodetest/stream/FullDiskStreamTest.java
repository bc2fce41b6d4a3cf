/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.stream;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.cassiterite.nodetest.Await;
import io.cassiterite.nodetest.Checkout;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.Output;
import io.cassiterite.nodetest.StreamHolds;
import io.cassiterite.nodetest.disk.Blobs;
import io.cassiterite.nodetest.disk.SmallDisk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A receiver without space refuses a stream; one whose disk is filled meanwhile deletes what it received; both work
 * again later.
 */
@Timeout(1200)
class FullDiskStreamTest
{
    private static final Duration BOUND = Duration.ofSeconds(60);
    private static final int VALUE_BYTES = 64 << 10;
    private static final int ROWS = 640;
    /** Less than the reserve that streams must leave. */
    private static final int SMALL_MEBIBYTES = 200;
    private static final int LARGE_MEBIBYTES = 1024;
    private static final int LEFT_MEBIBYTES = 2;
    /** What the store itself may write meanwhile. */
    private static final int LOGS_MEBIBYTES = 4;

    /** The first node cuts its files there: four of 10 MiB, so that what is left after two does not fit in {@link #LEFT_MEBIBYTES}. */
    private static final String[] FIRST = { "-4611686018427387904", "0", "4611686018427387904", "9223372036854775000" };
    private static final String SECOND = "9223372036854775001";

    private final Blobs blobs = new Blobs("spaced.t", VALUE_BYTES);

    @Test
    void whatDoesNotFitLeavesNothing()
    {
        try (Node first = MoveTest.node("space-1", "127.0.0.1", FIRST).jvm("-Dcassandra.streaming.session.parallelTransfers=1").start();
             SmallDisk disk = diskOf("space-2", SMALL_MEBIBYTES);
             Node second = MoveTest.node("space-2", "127.0.0.2", SECOND).joining(first).yaml("auto_bootstrap", "false").keep().build();
             Cql cql = first.cql())
        {
            fill(cql);
            // a second may pass until the engine knows where to cut
            first.log().await("Files of Cassiterite tables are cut at " + FIRST.length + " tokens", BOUND);
            first.flush("spaced");
            first.compact("spaced");
            second.start();
            Peers.awaitUp(first, second);
            isRefused(second);
            fillsUp(first, second, disk);
            succeeds(first, second);
        }
    }

    /** Rows files, unlike whole files, are written to be sent. */
    @Test
    void aSenderWithoutSpaceReportsIt()
    {
        try (SmallDisk disk = diskOf("export-1", LARGE_MEBIBYTES);
             Node first = JoinAndLeaveTest.node("export-1", "127.0.0.1").keep().start();
             Node second = JoinAndLeaveTest.node("export-2", "127.0.0.2").joining(first).yaml("auto_bootstrap", "false").build();
             Cql cql = first.cql())
        {
            fill(cql);
            second.start();
            Peers.awaitUp(first, second);
            disk.leave(LEFT_MEBIBYTES);
            Output refused = second.nodetool("rebuild", "-ks", "spaced");
            assertNotEquals(0, refused.exitCode(), refused::text);
            first.log().await("spaced\\.t cannot be sent: .* MiB free, of which 256 MiB are to stay free", BOUND);
            StreamFolders.awaitEmpty(first, "spaced");
            assertNothingTaken(second);

            disk.resize(LARGE_MEBIBYTES);
            succeeds(first, second);
        }
    }

    /** The store of a node that does not exist yet. */
    private static SmallDisk diskOf(String node, int mebibytes)
    {
        Path store = Checkout.nodes().resolve(node).resolve("cassiterite");
        SmallDisk.unmount(store);
        Checkout.delete(Checkout.nodes().resolve(node));
        return SmallDisk.mount(store, mebibytes);
    }

    private void fill(Cql cql)
    {
        cql.run("CREATE KEYSPACE spaced WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 2}");
        blobs.create(cql);
        blobs.write(cql, ROWS);
    }

    private static void isRefused(Node second)
    {
        Output refused = second.nodetool("rebuild", "-ks", "spaced");
        assertNotEquals(0, refused.exitCode(), refused::text);
        second.log().await("No space for a stream of .* must stay free", BOUND);
        assertNothingTaken(second);
    }

    private void fillsUp(Node first, Node second, SmallDisk disk)
    {
        disk.resize(LARGE_MEBIBYTES);
        long before = disk.usedMebibytes();
        StreamHolds.order(second, "received 2");
        CompletableFuture<Output> rebuild = CompletableFuture.supplyAsync(() -> second.nodetool("rebuild", "-ks", "spaced"));
        StreamHolds.awaitHeld(second, rebuild);
        // other files take nearly all of the space; nothing is received meanwhile
        disk.leave(LEFT_MEBIBYTES);
        StreamHolds.release(second);
        assertNotEquals(0, rebuild.join().exitCode(), rebuild.join()::text);
        second.log().await("No space left on device", BOUND);
        assertNothingTaken(second);
        StreamFolders.awaitEmpty(first, "spaced");
        awaitUsed(disk, before + LOGS_MEBIBYTES);
        disk.resize(LARGE_MEBIBYTES);
    }

    private static void awaitUsed(SmallDisk disk, long mebibytes)
    {
        Await.untilAsserted(BOUND, () -> {
            long used = disk.usedMebibytes();
            assertTrue(used <= mebibytes, () -> used + " MiB are used where there were " + mebibytes);
        });
    }

    private static void assertNothingTaken(Node second)
    {
        StreamFolders.awaitEmpty(second, "spaced");
        try (Cql cql = second.cql())
        {
            cql.localRows("SELECT state_text FROM cassiterite.streams")
               .forEach(row -> assertEquals("FAILED", row.getString("state_text")));
        }
    }

    private void succeeds(Node first, Node second)
    {
        second.nodetool("rebuild", "-ks", "spaced").success();
        Peers.kill(first, second);
        try (Cql rest = second.cql())
        {
            blobs.checkAll(rest);
            blobs.write(rest, 10);
            blobs.checkAll(rest);
        }
    }
}
