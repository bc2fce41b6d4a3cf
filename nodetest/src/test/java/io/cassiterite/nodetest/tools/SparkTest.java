/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.tools;

import java.util.List;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Spark writes engine tables, reads them with what it leaves to the node, and joins them: as on a stock node. */
@Tag("tools")
class SparkTest
{
    private static final String KEYSPACE = "sparktest";
    private static final String MEASURED = "(sensor int, at int, value double, kind text, tags list<text>, PRIMARY KEY (sensor, at))";

    @BeforeAll
    static void tables()
    {
        TwoNodes.freshKeyspace(KEYSPACE);
        for (Node node : TwoNodes.both())
            try (Cql cql = node.cql(KEYSPACE))
            {
                cql.run("CREATE TABLE measured " + MEASURED);
                cql.run("CREATE INDEX measured_kind ON measured (kind)");
                cql.run("CREATE TABLE replaced " + MEASURED);
                cql.run("CREATE TABLE expiring (sensor int, at int, value double, PRIMARY KEY (sensor, at))");
            }
    }

    @Test
    void sparkSeesTheSame()
    {
        List<String> lines = TwoNodes.same(node -> Program.own("spark", "SparkTables").lines(node, KEYSPACE));
        assertTrue(lines.contains("count: 20000"), lines::toString);
        assertTrue(lines.contains("direct: true"), lines::toString);
        assertEquals(7, lines.stream().filter(line -> line.startsWith("pushed: ")).count(), lines::toString);
        TwoNodes.assertSameKeyspace(KEYSPACE, true);
        for (Node node : TwoNodes.both())
            try (Cql cql = node.cql(KEYSPACE))
            {
                assertEquals(List.of("t=1234567890"), cql.texts("SELECT WRITETIME(value) AS t FROM expiring WHERE sensor = 1 AND at = 1"));
                assertTrue(cql.rows("SELECT TTL(value) FROM expiring").stream().allMatch(row -> row.getInt(0) > 900_000));
            }
    }
}
