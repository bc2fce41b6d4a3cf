/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.repair;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.cassiterite.nodetest.CompactionThroughput;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.Output;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** D8: nodetool cleanup removes what a node is no replica of any more, for good, and nothing else. */
@Timeout(value = 1200, unit = TimeUnit.SECONDS)
class CleanupTest
{
    private static final int ROWS = 2000;
    private static final int AT_ONCE = 100;
    private static final int LARGE_ROWS = 400;
    private static final int LARGE_BYTES = 100_000;
    private static final String BLOB = "x".repeat(1000);
    private static final Duration BOUND = Duration.ofSeconds(120);

    @Test
    void whatIsNotOwnedIsGone()
    {
        try (Pair pair = Pair.engines("cleanup"); Cql cql = pair.first.cql(Pair.KEYSPACE))
        {
            cql.run("CREATE TABLE engine (k int PRIMARY KEY, v text) WITH memtable = 'cassiterite' AND read_repair = 'NONE'");
            cql.run("CREATE TABLE stock (k int PRIMARY KEY, v text) WITH read_repair = 'NONE'");
            pair.awaitBoth();
            for (String table : List.of("engine", "stock"))
                fill(cql, table);
            pair.first.flush(Pair.KEYSPACE);
            pair.second.flush(Pair.KEYSPACE, "stock"); // the engine table stays in memory
            replicas(pair, cql, 1);

            pair.both().forEach(node -> node.nodetool("cleanup", Pair.KEYSPACE).success());

            for (String table : List.of("engine", "stock"))
                assertEquals(ROWS, count(cql, table));
            replicas(pair, cql, 2);
            List<Long> found = new ArrayList<>();
            for (Node node : pair.both())
                pair.without(node, () -> found.add(countAt(pair.other(node))));
            assertEquals(ROWS, found.get(0) + found.get(1), found::toString);
            assertTrue(found.get(0) > 0 && found.get(1) > 0, found::toString);
        }
    }

    @Test
    void cleanupEndsWhenTheRingChanges()
    {
        try (Pair pair = Pair.engines("cleanup-ends"); Cql cql = pair.first.cql(Pair.KEYSPACE))
        {
            cql.run("CREATE TABLE large (k int PRIMARY KEY, v blob) WITH memtable = 'cassiterite' AND read_repair = 'NONE'");
            pair.awaitBoth();
            byte[] bytes = new byte[LARGE_BYTES];
            for (int k = 0; k < LARGE_ROWS; k++)
            {
                new Random(k).nextBytes(bytes);
                ByteBuffer value = ByteBuffer.wrap(bytes.clone());
                cql.session().execute(SimpleStatement.newInstance("INSERT INTO large (k, v) VALUES (?, ?)", k, value)
                                                     .setConsistencyLevel(ConsistencyLevel.ALL));
            }
            pair.first.flush(Pair.KEYSPACE);
            replicas(pair, cql, 1);
            CompactionThroughput.set(pair.first, cql, 1);

            CompletableFuture<Output> cleanup = CompletableFuture.supplyAsync(() -> pair.first.nodetool("cleanup", Pair.KEYSPACE));
            pair.first.log().await("Removing from pair.large in the engine", BOUND);
            replicas(pair, cql, 2);
            Output ended = cleanup.join();
            assertTrue(ended.exitCode() != 0 && ended.text().contains("the ring has begun to change"), ended.text());
        }
    }

    private static void fill(Cql cql, String table)
    {
        String insert = "INSERT INTO " + table + " (k, v) VALUES (?, ?)";
        for (int from = 0; from < ROWS; from += AT_ONCE)
            IntStream.range(from, from + AT_ONCE)
                     .mapToObj(k -> cql.session().executeAsync(SimpleStatement.newInstance(insert, k, BLOB)
                                                                              .setConsistencyLevel(ConsistencyLevel.ALL)))
                     .toList()
                     .forEach(written -> written.toCompletableFuture().join());
    }

    private static void replicas(Pair pair, Cql cql, int replicas)
    {
        cql.run("ALTER KEYSPACE " + Pair.KEYSPACE + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': "
                + replicas + "}");
        pair.awaitBoth();
    }

    private static long countAt(Node node)
    {
        try (Cql cql = node.cql(Pair.KEYSPACE))
        {
            long engine = count(cql, "engine");
            assertEquals(count(cql, "stock"), engine);
            return engine;
        }
    }

    private static long count(Cql cql, String table)
    {
        return cql.rows("SELECT k FROM " + table).size();
    }
}
