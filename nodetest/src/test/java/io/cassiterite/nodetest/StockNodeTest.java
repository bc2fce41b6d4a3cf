/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The harness itself, on a node without the plug-in. */
@NodeTest(stock = true, own = true, heap = "512m", yaml = "commitlog_sync: batch")
class StockNodeTest
{
    private static final Duration DAY = Duration.ofDays(1);

    @Test
    void aKilledNodeComesBackWithItsData(Node node, Cql cql)
    {
        cql.run("CREATE TABLE kept (k int, c int, v text, PRIMARY KEY (k, c))");
        cql.run("INSERT INTO kept (k, c, v) VALUES (?, ?, ?)", 1, 2, "it's");
        cql.run("INSERT INTO kept (k, c) VALUES (?, ?)", 1, 3);
        assertEquals(List.of("k=1, c=2, v='it''s'", "k=1, c=3, v=null"), cql.texts("SELECT * FROM kept"));
        assertEquals(List.of("c=00000003, v=null"), cql.exact("SELECT c, v FROM kept WHERE k = ? AND c > ?", 1, 2));
        node.nodetool("flush").success();
        cql.run("INSERT INTO kept (k, c, v) VALUES (4, 5, '')");

        node.killNine();
        assertFalse(node.isRunning());
        node.start();

        try (Cql again = node.cql("stocknodetest"))
        {
            assertEquals(List.of("k=1, c=2, v='it''s'", "k=1, c=3, v=null", "k=4, c=5, v=''"),
                         again.texts("SELECT * FROM kept"));
        }
    }

    @Test
    void aJumpOfTheClockEndsATimeToLive(Node node)
    {
        try (Cql cql = node.cql("stocknodetest"))
        {
            cql.run("CREATE TABLE mortal (k int PRIMARY KEY, v int)");
            cql.run("INSERT INTO mortal (k, v) VALUES (1, 1) USING TTL 3600");
            assertEquals(1, cql.rows("SELECT * FROM mortal").size());

            node.clock().advance(DAY);

            assertEquals(List.of(), cql.texts("SELECT * FROM mortal"));
            cql.run("INSERT INTO mortal (k, v) VALUES (1, 2)");
            long timestampMillis = cql.rows("SELECT writetime(v) AS t FROM mortal").get(0).getLong("t") / 1000;
            assertTrue(timestampMillis >= System.currentTimeMillis() + DAY.toMillis() - 60_000);
        }
    }

    @Test
    void theOutsideViewsWork(Node node, Cql unused)
    {
        assertTrue(node.nodetool("status").success().contains("UN  127.0.0.1"));
        assertTrue(node.nodetool("nonsense").exitCode() != 0);
        try (Jmx jmx = node.jmx())
        {
            assertEquals("NORMAL", jmx.attribute("org.apache.cassandra.db:type=StorageService", "OperationMode"));
        }
        assertFalse(node.log().grep("Starting listening for CQL clients").isEmpty());
        assertEquals(List.of(), node.log().errors());
        try (Cql cql = node.cql())
        {
            assertTrue(cql.refusal("SELECT * FROM nowhere.nothing").contains("nowhere"));
        }
    }
}
