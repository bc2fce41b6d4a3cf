/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.repair;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Output;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * D13: an incremental repair of an engine table ends before anything has begun, with the reason and what to do instead, whichever
 * node coordinates it. Stock tables of the same keyspace can be repaired incrementally.
 */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class IncrementalRepairTest
{
    private static final Duration BOUND = Duration.ofSeconds(20);

    @Test
    void incrementalRepairIsRefusedAtOnce()
    {
        try (Pair pair = Pair.mixed("incremental-repair"); Cql cql = pair.first.cql(Pair.KEYSPACE))
        {
            cql.run("CREATE TABLE engine (k int PRIMARY KEY, v int) WITH memtable = 'cassiterite'");
            cql.run("CREATE TABLE other (k int PRIMARY KEY, v int)");
            pair.awaitBoth();
            for (int k = 0; k < 50; k++)
                for (String table : List.of("engine", "other"))
                    cql.run("INSERT INTO " + table + " (k, v) VALUES (?, ?)", k, k);
            pair.second.nodetool("flush", Pair.KEYSPACE).success();

            engineNodeCoordinates(pair);
            stockNodeCoordinates(pair);
            for (String node : List.of("first", "second"))
            {
                Output repair = (node.equals("first") ? pair.first : pair.second).nodetool("repair", Pair.KEYSPACE, "other");
                assertTrue(repair.success().contains("Repair completed successfully"), repair::text);
            }
        }
    }

    private static void engineNodeCoordinates(Pair pair)
    {
        Output whole = pair.first.nodetool("repair", Pair.KEYSPACE);
        assertNotEquals(0, whole.exitCode(), whole::text);
        assertTrue(whole.text().contains("Cassiterite tables (pair.engine): rows in the engine are never marked repaired"), whole::text);
        assertTrue(whole.text().contains("nodetool repair --full pair, and for its other tables nodetool repair pair other"), whole::text);
        Output validate = pair.first.nodetool("repair", "--validate", Pair.KEYSPACE, "engine");
        assertNotEquals(0, validate.exitCode(), validate::text);
        assertTrue(validate.text().contains("nodetool repair --preview --full pair"), validate::text);
    }

    private static void stockNodeCoordinates(Pair pair)
    {
        pair.first.log().mark();
        pair.second.log().mark();
        Output repair = pair.second.nodetool("repair", Pair.KEYSPACE, "engine");
        assertNotEquals(0, repair.exitCode(), repair::text);
        assertTrue(repair.text().contains("Got negative replies from endpoints"), repair::text);
        pair.first.log().await("Incremental repair of Cassiterite tables \\(pair.engine\\) is refused.*Asked by /127.0.0.2", BOUND);
        assertEquals(List.of(), pair.second.log().grep("(?i)anti-?compaction"));
    }
}
