/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.stream;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import com.datastax.oss.driver.api.core.cql.Row;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.Output;
import io.cassiterite.nodetest.Pause;
import io.cassiterite.nodetest.disk.Blobs;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Cassandra's throttles apply to streams of the engine, and can be changed while they run. */
@Tag("cluster")
@Timeout(1200)
class ThrottleTest
{
    private static final double MEBIBYTE = 1 << 20;
    private static final int VALUE_BYTES = 64 << 10;
    private static final int ROWS = 640;
    private static final int SLOW_SECONDS = 6;
    /** What a limiter allows after a second without use, and what is in flight. */
    private static final double BURST_BYTES = 6 * MEBIBYTE;

    @Test
    void theRateFollowsTheThrottles()
    {
        try (Node first = JoinAndLeaveTest.node("slow-1", "127.0.0.1").start();
             Node second = JoinAndLeaveTest.node("slow-2", "127.0.0.2").joining(first).yaml("auto_bootstrap", "false").build();
             Cql cql = first.cql())
        {
            Blobs whole = fill(cql, "whole");
            first.flush("whole");
            first.compact("whole");
            Blobs rows = fill(cql, "as_rows");
            second.start();
            Peers.awaitUp(first, second);
            // the other throttle must not matter
            first.nodetool("setstreamthroughput", "-m", "200").success();
            assertFollows(first, second, "whole", "-e");
            first.nodetool("setstreamthroughput", "-e", "200").success();
            assertFollows(first, second, "as_rows", "-m");
            assertWays(cql);
            Peers.kill(first, second);
            try (Cql rest = second.cql())
            {
                whole.checkAll(rest);
                rows.checkAll(rest);
            }
        }
    }

    private static Blobs fill(Cql cql, String keyspace)
    {
        cql.run("CREATE KEYSPACE " + keyspace + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 2}");
        Blobs blobs = new Blobs(keyspace + ".t", VALUE_BYTES);
        blobs.create(cql);
        blobs.write(cql, ROWS);
        return blobs;
    }

    private static void assertFollows(Node sender, Node receiver, String keyspace, String throttle)
    {
        try (Cql cql = receiver.cql())
        {
            sender.nodetool("setstreamthroughput", throttle, "1").success();
            long before = received(cql);
            CompletableFuture<Output> rebuild = CompletableFuture.supplyAsync(() -> receiver.nodetool("rebuild", "-ks", keyspace));
            while (received(cql) - before < MEBIBYTE && !rebuild.isDone())
                Pause.millis(50);
            long slowStart = System.nanoTime();
            long slowBytes = received(cql);
            while (seconds(slowStart) < SLOW_SECONDS)
            {
                Pause.millis(250);
                long bytes = received(cql) - slowBytes;
                assertTrue(bytes <= MEBIBYTE * seconds(slowStart) + BURST_BYTES, bytes + " bytes in " + seconds(slowStart) + " s");
            }
            assertFalse(rebuild.isDone(), () -> rebuild.join().text());

            sender.nodetool("setstreamthroughput", throttle, "200").success();
            double fastest = fastest(cql, rebuild);
            rebuild.join().success();
            assertTrue(fastest > 3 * MEBIBYTE, "not more than " + fastest + " bytes a second");
        }
    }

    /** @return the most bytes per second between two polls, until the rebuild has ended */
    private static double fastest(Cql cql, CompletableFuture<Output> rebuild)
    {
        double fastest = 0;
        boolean isDone = false;
        while (!isDone)
        {
            // done before the last poll
            isDone = rebuild.isDone();
            long start = System.nanoTime();
            long bytes = received(cql);
            Pause.millis(200);
            fastest = Math.max(fastest, (received(cql) - bytes) / seconds(start));
        }
        return fastest;
    }

    private static double seconds(long sinceNanos)
    {
        return (System.nanoTime() - sinceNanos) / (double) TimeUnit.SECONDS.toNanos(1);
    }

    /** @return bytes that the node has received since its start */
    private static long received(Cql cql)
    {
        List<Row> streams = cql.localRows("SELECT bytes_received FROM system_views.streaming");
        return streams.stream().mapToLong(row -> row.getLong("bytes_received")).sum();
    }

    /** Each keyspace was sent in the way whose throttle was set. */
    private static void assertWays(Cql cql)
    {
        List<Row> streams = cql.localRows("SELECT keyspace_name, whole_bytes, row_bytes FROM cassiterite.streams");
        assertTrue(streams.size() > 1, streams.toString());
        for (Row row : streams)
        {
            double rows = row.getLong("row_bytes") / (double) (row.getLong("row_bytes") + row.getLong("whole_bytes"));
            assertTrue(row.getString("keyspace_name").equals("whole") ? rows < 0.1 : rows > 0.9, row.getFormattedContents());
        }
    }
}
