/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.repair;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.cassiterite.nodetest.Await;
import io.cassiterite.nodetest.CapturedRows;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.SstableLoader;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** What a repair brings is captured, as in stock: Cassandra writes it to the commit log, row by row. */
@Timeout(1200)
class CapturedRepairTest
{
    private static final Duration BOUND = Duration.ofSeconds(120);
    private static final String COLUMNS = "(k int PRIMARY KEY, v text)";

    @Test
    void rowsThatARepairBringsAreCapturedWhereTheyWereMissing()
    {
        String logged = "memtable.configurations.cassiterite.parameters.commit_log";
        try (Pair pair = Pair.engines("capturedrepair", node -> node.yaml("cdc_enabled", "true").yaml(logged, "on")))
        {
            try (Cql cql = pair.first.cql(Pair.KEYSPACE))
            {
                cql.run("CREATE TABLE t " + COLUMNS + " WITH memtable = 'cassiterite' AND cdc = true");
                pair.awaitBoth();
                cql.run("INSERT INTO t (k, v) VALUES (1, 'everywhere')");
            }
            pair.without(pair.second, () -> {
                try (Cql cql = pair.first.cql(Pair.KEYSPACE))
                {
                    for (int k = 2; k <= 4; k++)
                        cql.run("INSERT INTO t (k, v) VALUES (?, 'missing')", k);
                }
            });
            pair.first.nodetool("repair", "--full", Pair.KEYSPACE, "t").success();
            pair.assertInSync("t");
            try (Cql cql = pair.second.cql(Pair.KEYSPACE))
            {
                Set<Integer> expected = Set.of(1, 2, 3, 4);
                Await.untilAsserted(BOUND, () -> assertEquals(expected, CapturedRows.keys(pair.second, cql, Pair.KEYSPACE, "t", COLUMNS)));
                assertEquals(4, cql.texts("SELECT k FROM t").size());
            }
            assertEquals(List.of(), sstables(pair));
        }
    }

    /** Cassandra deletes the sstables when it has written their rows. */
    private static List<Long> sstables(Pair pair)
    {
        return SstableLoader.sizes(pair.second, Pair.KEYSPACE, "t");
    }
}
