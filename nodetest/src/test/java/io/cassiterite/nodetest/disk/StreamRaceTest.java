/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.disk;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.cassiterite.nodetest.Await;
import io.cassiterite.nodetest.Checkout;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.ManagerProbe;
import io.cassiterite.nodetest.Node;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * D1: as soon as a table has a row, streams and validations get the plug-in's managers, whether the table is new or the
 * node starts with it.
 */
@Timeout(900)
class StreamRaceTest
{
    private static final int TABLES = 30;
    private static final Duration BOUND = Duration.ofSeconds(120);

    @Test
    void nobodyFindsARowUnderAStockManager() throws Exception
    {
        Path created = Checkout.nodes().resolve("manager-race-created");
        Files.createDirectories(created.getParent());
        Files.deleteIfExists(created);
        Path found = created.resolveSibling("manager-race-found");
        Files.deleteIfExists(found);
        try (Node node = ManagerProbe.on(Node.named("manager-race").heap("512m"), created).start(); Cql cql = node.cql())
        {
            cql.freshKeyspace("raced");
            for (int i = 0; i < TABLES; i++)
            {
                cql.run("CREATE TABLE raced.t" + i + " (k int PRIMARY KEY, v int) WITH memtable = 'cassiterite'");
                cql.run("INSERT INTO raced.t" + i + " (k, v) VALUES (1, 1)");
            }
            assertAllOurs(created);
        }
        try (Node again = ManagerProbe.on(Node.named("manager-race").heap("512m").keep(), found).start())
        {
            assertAllOurs(found);
            assertEquals(List.of(), again.log().errors());
        }
    }

    private static void assertAllOurs(Path file) throws Exception
    {
        Await.untilAsserted(BOUND, () -> {
            List<String> lines = Files.exists(file) ? Files.readAllLines(file) : List.of();
            assertEquals(TABLES, lines.size(), lines.toString());
        });
        for (String line : Files.readAllLines(file))
            assertEquals("io.cassiterite.stream.EngineStreamManager io.cassiterite.repair.EngineRepairManager",
                         line.replaceFirst("^t\\d+ ", ""));
    }
}
