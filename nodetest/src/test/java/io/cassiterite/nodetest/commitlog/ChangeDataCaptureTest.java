/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.commitlog;

import java.time.Duration;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.cassiterite.nodetest.Await;
import io.cassiterite.nodetest.CapturedRows;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Change data capture of an engine table. */
@Timeout(900)
class ChangeDataCaptureTest
{
    private static final Duration BOUND = Duration.ofSeconds(120);
    private static final String COLUMNS = "(k int PRIMARY KEY, v text)";

    @Test
    void cassandrasReaderFindsTheWritesInTheRawFolder()
    {
        try (Node node = LoggedNode.named("cdc").yaml("cdc_enabled", "true").start())
        {
            try (Cql cql = node.cql())
            {
                cql.freshKeyspace("captured");
            }
            try (Cql cql = node.cql("captured"))
            {
                cql.run("CREATE TABLE t " + COLUMNS + " WITH memtable = 'cassiterite' AND cdc = true");
                cql.run("CREATE TABLE later " + COLUMNS + " WITH memtable = 'cassiterite'");
                cql.run("ALTER TABLE later WITH cdc = true");
                cql.run("INSERT INTO t (k, v) VALUES (1, 'one')");
                cql.run("INSERT INTO t (k, v) VALUES (2, 'two') IF NOT EXISTS");
                cql.run("BEGIN BATCH INSERT INTO t (k, v) VALUES (3, 'three'); INSERT INTO t (k, v) VALUES (5, 'five'); APPLY BATCH");
                cql.run("DELETE FROM t WHERE k = 4");
                Set<Integer> expected = Set.of(1, 2, 3, 4, 5);
                Await.untilAsserted(BOUND, () -> assertEquals(expected, CapturedRows.keys(node, cql, "captured", "t", COLUMNS)));
            }
            node.killNine();
            node.start();
            try (Cql cql = node.cql("captured"))
            {
                assertEquals(4, cql.texts("SELECT k FROM t").size());
            }
        }
    }

    @Test
    void withoutTheCommitLogItIsRefusedWithTheWayOut()
    {
        String name = "cdc-refused";
        try (Node node = LoggedNode.named(name).yaml("cdc_enabled", "true").start(); Cql cql = node.cql())
        {
            cql.freshKeyspace("captured");
            cql.run("CREATE TABLE captured.t " + COLUMNS + " WITH memtable = 'cassiterite' AND cdc = true");
            node.nodetool("drain").success();
        }
        try (Node node = LoggedNode.named(name).keep().yaml("cdc_enabled", "true").yaml(LoggedNode.KEY, "off").build())
        {
            String refusal = node.startRefused();
            assertTrue(refusal.contains("captured.t has cdc enabled, but its memtable configuration 'cassiterite' keeps its writes out of"
                                        + " the commit log, which CDC reads. Add commit_log: true"), refusal);
        }
    }
}
