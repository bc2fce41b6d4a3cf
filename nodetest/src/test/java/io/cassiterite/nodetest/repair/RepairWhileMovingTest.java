/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.repair;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.cassiterite.nodetest.Await;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** M1: a validation sees each row in the engine or in sstables, while rows move from one to the other and back. */
@Timeout(value = 1200, unit = TimeUnit.SECONDS)
class RepairWhileMovingTest
{
    private static final Duration BOUND = Duration.ofMinutes(2);
    private static final int REPAIRS = 12;

    @Test
    void repairsOfEqualReplicasFindNothingToDo() throws InterruptedException
    {
        try (Pair pair = Pair.engines("repairmoving", node -> node.jvm("-Dcassiterite.move_rest_bytes=4000"));
             Cql cql = pair.first.cql(Pair.KEYSPACE))
        {
            Everything.create(cql);
            pair.awaitBoth();
            new Everything(5).write(cql, 600, ConsistencyLevel.ALL);
            pair.assertInSync();
            pair.both().forEach(node -> node.log().mark());
            AtomicReference<Throwable> failure = new AtomicReference<>();
            AtomicInteger moves = new AtomicInteger();
            Thread moving = new Thread(() -> {
                try
                {
                    while (!Thread.interrupted())
                        move(pair.first, moves);
                }
                catch (RuntimeException | Error e)
                {
                    failure.set(e);
                }
            });
            moving.start();
            for (int repair = 0; repair < REPAIRS || moves.get() < 4 && failure.get() == null; repair++)
            {
                Node by = repair % 2 == 0 ? pair.first : pair.second;
                String how = repair % 3 == 0 ? "-seq" : "-dcpar";
                assertTrue(Pair.repair(by, how).success().contains("Repair completed successfully"));
                for (Node node : pair.both())
                    assertEquals(List.of(), node.log().grep("range\\(s\\) out of sync"), moves + " moves");
            }
            moving.interrupt();
            moving.join();
            if (failure.get() != null && !(failure.get().getCause() instanceof InterruptedException))
                throw new AssertionError("the moves have failed", failure.get());
            int rounds = pair.first.log().grep("pair.wide: they have left the engine in").size();
            assertTrue(rounds > 2, rounds + " rounds");
            for (Node node : pair.both())
                assertEquals(List.of(), node.log().errors());
        }
    }

    private static void move(Node node, AtomicInteger moves)
    {
        node.direct(Pair.KEYSPACE, "wide", "out");
        Await.until("it is ready", BOUND, () -> node.moves().contains("ready: "));
        moves.incrementAndGet();
        node.direct(Pair.KEYSPACE, "wide", "in");
        node.awaitMovedIn(Pair.KEYSPACE, BOUND);
        moves.incrementAndGet();
    }
}
