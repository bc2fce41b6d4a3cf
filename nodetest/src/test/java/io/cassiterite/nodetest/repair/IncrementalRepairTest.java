/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.repair;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.Output;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Repair as people call it: under one command stock tables are repaired incrementally, and engine tables in full. D13: one that a
 * node without the plug-in coordinates ends before anything has begun, with the reason.
 */
@Timeout(value = 1200, unit = TimeUnit.SECONDS)
@Tag("cluster")
class IncrementalRepairTest
{
    private static final Duration BOUND = Duration.ofSeconds(60);
    private static final String LINE = "Cassiterite tables (pair.engine) are repaired in full: rows in the engine are never marked " +
                                       "repaired";
    private static final String COMPLETED = "Repair completed successfully";

    private int next;

    @Test
    void engineTablesAreRepairedInFull()
    {
        try (Pair pair = Pair.mixed("incremental-repair"); Cql cql = pair.first.cql(Pair.KEYSPACE))
        {
            cql.run("CREATE TABLE engine (k int PRIMARY KEY, v int) WITH memtable = 'cassiterite'");
            cql.run("CREATE TABLE other (k int PRIMARY KEY, v int)");
            pair.awaitBoth();

            wholeKeyspace(pair, cql);
            primaryRanges(pair, cql);
            engineTableAlone(pair);
            validation(pair);
            failures(pair);
            stockNodeCoordinates(pair);
        }
    }

    private void wholeKeyspace(Pair pair, Cql cql)
    {
        differ(pair, cql);
        pair.first.log().mark();
        Output repair = pair.first.nodetool("repair", Pair.KEYSPACE);
        assertRepaired(repair);
        assertTrue(repair.text().contains("Stock tables of pair: " + COMPLETED), repair::text);
        assertEquals(1, repair.text().lines().filter(line -> line.contains(" finished in ")).count(), repair::text);
        assertFalse(pair.first.log().grep("are repaired in full").isEmpty());
        assertSame(pair);
        assertEquals("Percent repaired: 100.0", percentRepaired(pair.second, "other"));
        assertEquals("Percent repaired: 0.0", percentRepaired(pair.second, "engine"));
    }

    private void primaryRanges(Pair pair, Cql cql)
    {
        differ(pair, cql);
        assertRepaired(pair.first.nodetool("repair", "-pr", "-local", "--trace", Pair.KEYSPACE, "engine", "other"));
        assertEquals(0, pair.first.nodetool("repair", "-pr", "--full", Pair.KEYSPACE).exitCode());
        assertRepaired(pair.first.nodetool("repair", "-st", "0", "-et", "100", "-seq", Pair.KEYSPACE));
        assertRepaired(pair.first.nodetool("repair"));
        assertSame(pair);
        String admin = pair.first.nodetool("repair_admin", "list", "--all").success();
        assertFalse(admin.contains("PREPARING"), admin);
    }

    private static void engineTableAlone(Pair pair)
    {
        Output repair = pair.first.nodetool("repair", Pair.KEYSPACE, "engine");
        assertRepaired(repair);
        assertFalse(repair.text().contains("Stock tables"), repair::text);
    }

    private static void validation(Pair pair)
    {
        Output whole = pair.first.nodetool("repair", "--validate", Pair.KEYSPACE);
        assertEquals(0, whole.exitCode(), whole::text);
        assertTrue(whole.text().contains("Left out the Cassiterite tables (pair.engine): --validate compares"), whole::text);
        Output named = pair.first.nodetool("repair", "--validate", Pair.KEYSPACE, "engine");
        assertNotEquals(0, named.exitCode(), named::text);
        assertTrue(named.text().contains("nodetool repair --preview --full pair engine, and for the other tables " +
                                         "nodetool repair --validate pair other"), named::text);
        Output preview = pair.first.nodetool("repair", "--preview", Pair.KEYSPACE);
        assertEquals(0, preview.exitCode(), preview::text);
    }

    private static void failures(Pair pair)
    {
        Output absent = pair.first.nodetool("repair", Pair.KEYSPACE, "engine", "absent");
        assertNotEquals(0, absent.exitCode(), absent::text);
        Output elsewhere = pair.first.nodetool("repair", "-dc", "nowhere", Pair.KEYSPACE);
        assertNotEquals(0, elsewhere.exitCode(), elsewhere::text);
        Output alone = pair.first.nodetool("repair", "-hosts", "127.0.0.1", Pair.KEYSPACE);
        assertNotEquals(0, alone.exitCode(), alone::text);
        long errors = alone.text().lines().filter(line -> line.startsWith("[") && line.contains("failed with error")).count();
        assertEquals(2, errors, alone::text);
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

    /** Rows that only the first node has. */
    private void differ(Pair pair, Cql cql)
    {
        pair.without(pair.second, () ->
        {
            for (int end = next + 50; next < end; next++)
                for (String table : List.of("engine", "other"))
                    cql.run("INSERT INTO " + table + " (k, v) VALUES (?, ?)", next, next);
        });
    }

    private static void assertRepaired(Output repair)
    {
        assertEquals(0, repair.exitCode(), repair::text);
        assertTrue(repair.text().contains(COMPLETED), repair::text);
        assertEquals(1, repair.text().lines().filter(line -> line.endsWith(LINE)).count(), repair::text);
    }

    private void assertSame(Pair pair)
    {
        pair.assertInSync("engine", "other");
        for (Node node : pair.both())
            try (Cql cql = node.cql(Pair.KEYSPACE))
            {
                for (String table : List.of("engine", "other"))
                    assertEquals(next, cql.rows("SELECT * FROM " + table).size(), node.name() + ' ' + table);
            }
    }

    /** How much of a table on a stock node is marked repaired, as nodetool words it. */
    private static String percentRepaired(Node stock, String table)
    {
        String stats = stock.nodetool("tablestats", Pair.KEYSPACE + '.' + table).success();
        return stats.lines().filter(line -> line.contains("Percent repaired:")).findFirst().orElse(stats).strip();
    }
}
