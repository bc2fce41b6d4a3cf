/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest;

import java.util.stream.IntStream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** The lab's clusters grow: the tables are streamed to a node that joins, and back when it leaves. */
class JoiningNodeTest
{
    private static final int ROWS = 100;

    @ParameterizedTest
    @ValueSource(strings = { "stock", "cassiterite" })
    void aJoiningNodeStreamsItsPartAndServesAll(String engine)
    {
        try (LabCluster cluster = LabCluster.up("join-" + engine, 1, "--engine", engine))
        {
            try (Cql cql = cluster.cql(1, null))
            {
                cql.freshKeyspace("joined");
                String options = engine.equals("stock") ? "" : " WITH memtable = 'cassiterite'";
                cql.run("CREATE TABLE joined.t (k int PRIMARY KEY, v int)" + options);
                IntStream.range(0, ROWS).forEach(k -> cql.run("INSERT INTO joined.t (k, v) VALUES (?, ?)", k, -k));
            }

            cluster.add().success();

            String status = cluster.nodetool(2, "status").success();
            assertEquals(2, status.lines().filter(line -> line.startsWith("UN ")).count(), status);
            try (Cql cql = cluster.cql(2, "joined"))
            {
                assertEquals(ROWS, cql.rows("SELECT * FROM t").size());
            }
            cluster.decommission(2).success();
            try (Cql cql = cluster.cql(1, "joined"))
            {
                assertEquals(ROWS, cql.rows("SELECT * FROM t").size());
            }
        }
    }
}
