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

import io.cassiterite.nodetest.Await;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Scheduled incremental repair repairs stock tables as scheduled and engine tables in full; a scheduled validation leaves them out. */
@Tag("cluster")
@Timeout(value = 1800, unit = TimeUnit.SECONDS)
class ScheduledRepairTest
{
    private static final Duration BOUND = Duration.ofSeconds(240);
    private static final String SCHEDULE = "{initial_scheduler_delay: 20s, min_repair_interval: 15s, enabled: true}";
    private static final int ROWS = 50;

    @Test
    void engineTablesAreRepairedInFull()
    {
        try (Pair pair = Pair.engines("scheduled-repair", ScheduledRepairTest::scheduled); Cql cql = pair.first.cql(Pair.KEYSPACE))
        {
            cql.run("CREATE TABLE engine (k int PRIMARY KEY, v int) WITH memtable = 'cassiterite'");
            cql.run("CREATE TABLE other (k int PRIMARY KEY, v int)");
            cql.run("CREATE KEYSPACE alone WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 2}");
            pair.awaitBoth();
            cql.run("CREATE TABLE alone.engine (k int PRIMARY KEY, v int) WITH memtable = 'cassiterite'");
            pair.awaitBoth();
            pair.without(pair.second, () ->
            {
                for (int k = 0; k < ROWS; k++)
                    for (String table : List.of("engine", "other", "alone.engine"))
                        cql.run("INSERT INTO " + table + " (k, v) VALUES (?, ?)", k, k);
            });

            for (String tables : List.of("pair.engine", "alone.engine"))
                await(pair, "Cassiterite tables \\(" + tables + "\\) are repaired in full");
            await(pair, "Scheduled validation of repaired data leaves out the Cassiterite tables \\[engine\\] of alone");
            await(pair, "Scheduled validation of repaired data leaves out the Cassiterite tables \\[engine\\] of pair");
            await(pair, "Repair completed for range .* for alone tables");
            await(pair, "Repair completed for range .* for pair tables");
            // a schedule that begins before the other node has joined fails for Cassandra's own tables, and tries again
            for (Node node : pair.both())
                assertEquals(List.of(), node.log().grep("Repair failed for range .* for (alone|pair) tables|" +
                                                        "Incremental repair of Cassiterite tables"), node.name());
            // each node has its own primary ranges repaired, when it is its turn
            Await.until("both tables are in sync", BOUND, () -> pair.isInSync("engine", "other"));
        }
    }

    private static void await(Pair pair, String line)
    {
        Await.untilAsserted(BOUND, () -> assertTrue(pair.both().stream().anyMatch(node -> !node.log().grep(line).isEmpty()),
                                                    () -> "neither node has logged: " + line + "\n" + pair.first.log().lastTrouble()));
    }

    private static NodeBuilder scheduled(NodeBuilder node)
    {
        return node.jvm("-Dcassandra.autorepair.enable=true")
                   .yaml("auto_repair", "\n  enabled: true\n  repair_check_interval: 5s\n  repair_task_min_duration: 1s"
                                        + "\n  repair_type_overrides:\n    incremental: " + SCHEDULE
                                        + "\n    preview_repaired: " + SCHEDULE);
    }
}
