/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.Standstill;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** F21: native reads go on while the JVM stands still, as long as the lease lasts, and no longer. */
@Tag("surface")
class StandstillTest
{
    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final Duration LENGTH = LEASE.multipliedBy(3);
    /** A safepoint may come some time after it was asked for, and the lease be renewed until then. */
    private static final Duration SLACK = LEASE;

    /** A read, by {@link System#nanoTime}. */
    private record Timed(long beganNanos, long endedNanos)
    {
    }

    @Test
    void readsGoOnUntilTheLeaseEnds()
    {
        try (Node node = Standstill.on(Node.named("standstill").frontDoor("reads")).start(); Cql cql = node.cql())
        {
            cql.session().execute("CREATE KEYSPACE ks WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
            cql.session().execute("CREATE TABLE ks.t (k int PRIMARY KEY, v int) WITH memtable = 'cassiterite'");
            cql.session().execute("INSERT INTO ks.t (k, v) VALUES (1, 10)");
            NativeReads reads = new NativeReads(cql, "SELECT v FROM ks.t WHERE k = ?");
            reads.awaitNative(1);

            Standstill.begin(node, LENGTH);
            List<Timed> all = readUntilItIsOver(node, reads);
            Standstill standstill = Standstill.await(node, NativeAnswers.PATIENCE);

            long leaseEndNanos = standstill.beganNanos() + LEASE.plus(SLACK).toNanos();
            assertTrue(standstill.endedNanos() - leaseEndNanos > 0, "it stood still for as long as the lease: " + standstill);
            assertTrue(all.stream().anyMatch(read -> isWithin(read, standstill.beganNanos(), leaseEndNanos)),
                       "no read was answered while the JVM stood still");
            assertFalse(all.stream().anyMatch(read -> isWithin(read, leaseEndNanos, standstill.endedNanos())),
                        "a read was answered without a lease");
            reads.awaitNative(1);
        }
    }

    private static List<Timed> readUntilItIsOver(Node node, NativeReads reads)
    {
        List<Timed> all = new ArrayList<>();
        long endNanos = System.nanoTime() + NativeAnswers.PATIENCE.toNanos();
        while (!Files.exists(node.base().resolve("standstill-done")) && System.nanoTime() - endNanos < 0)
        {
            long beganNanos = System.nanoTime();
            assertEquals(10, reads.read(1).get(0).getInt("v"));
            all.add(new Timed(beganNanos, System.nanoTime()));
        }
        return all;
    }

    private static boolean isWithin(Timed read, long fromNanos, long toNanos)
    {
        return read.beganNanos() - fromNanos > 0 && read.endedNanos() - toNanos < 0;
    }
}
