/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.disk;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.cassiterite.nodetest.Await;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;
import io.cassiterite.nodetest.Output;
import io.cassiterite.nodetest.Ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * D1: an engine table has no sstables to validate. What validates sstables fails with the reason instead of reporting
 * success; stock tables of the same cluster are not affected.
 */
@Timeout(value = 900, unit = TimeUnit.SECONDS)
class ManagersInstalledTest
{
    private static final int ROWS = 50;
    private static final Duration BOUND = Duration.ofSeconds(180);

    @Test
    void nothingThatCannotBeDoneIsReportedAsDone()
    {
        try (Node first = node("managers-1", "127.0.0.1").start();
             Node second = node("managers-2", "127.0.0.2").joining(first).yaml("auto_bootstrap", "false").build();
             Cql cql = first.cql())
        {
            create(cql, "both", 2);
            second.start();
            awaitOneSchema(first);
            fill(cql, "both");
            repairs(first);
            assertEquals(ROWS, cql.rows("SELECT * FROM both.engine").size());
        }
    }

    private static NodeBuilder node(String name, String address)
    {
        return Node.named(name).heap("400m").address(address);
    }

    private static void create(Cql cql, String keyspace, int replicas)
    {
        cql.run("CREATE KEYSPACE " + keyspace + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': " + replicas + "}");
        for (String table : List.of("engine WITH memtable = 'cassiterite'", "stock"))
            cql.run("CREATE TABLE " + keyspace + "." + table.replaceFirst("( |$)", " (k int PRIMARY KEY, v int) "));
    }

    private static void fill(Cql cql, String keyspace)
    {
        for (String table : List.of("engine", "stock"))
            for (int k = 0; k < ROWS; k++)
                cql.run("INSERT INTO " + keyspace + "." + table + " (k, v) VALUES (" + k + ", 1)");
    }

    /** A node that does not know a table yet loses rows of it; one that is not seen as alive yet has no schema. */
    private static void awaitOneSchema(Node node)
    {
        Await.until("the nodes see each other, and agree on the schema", BOUND,
                    () -> Ring.of(node).normal() == 2 && Ring.of(node).hasOneSchema());
    }

    private static void repairs(Node node)
    {
        for (String[] repair : new String[][]{ { "repair", "both", "engine" }, { "repair", "both" } })
        {
            Output output = node.nodetool(repair);
            assertCompleted(output);
            assertTrue(output.text().contains("Cassiterite tables (both.engine) are repaired in full"), output::text);
        }
        assertFails(node.nodetool("repair", "--validate", "both", "engine"), "Cassiterite tables (both.engine)");
        assertCompleted(node.nodetool("repair", "--full", "both", "stock"));
        assertCompleted(node.nodetool("repair", "both", "stock"));
    }

    private static void assertCompleted(Output output)
    {
        assertTrue(output.success().contains("Repair completed successfully"), output::text);
    }

    private static void assertFails(Output output, String reason)
    {
        assertNotEquals(0, output.exitCode(), output::text);
        assertTrue(output.text().contains(reason), output::text);
    }
}
