/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.tools;

import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.cassiterite.nodetest.Checkout;
import io.cassiterite.nodetest.Node;

import static org.junit.jupiter.api.Assertions.assertTrue;

/** Temporal's own tests of what it persists pass on engine tables, and its tables hold what they hold on a stock node. */
@Tag("tools")
class TemporalTest
{
    private static final Path SERVER = Checkout.root().resolve("build/tools/temporal-server");
    private static final String KEYSPACE = "temporaltest";

    @Test
    void itsOwnTestsPass()
    {
        GoTests tests = new GoTests("temporal.test", SERVER.resolve("common/persistence/tests"));
        List<String> results = TwoNodes.same(node -> tests.run("TestCassandra", "CASSANDRA_SEEDS=" + node.address(),
                                                               "CASSANDRA_PORT=" + node.cqlAddress().getPort()));
        assertTrue(results.stream().filter(line -> line.startsWith("PASS: ")).count() > 100, results::toString);
    }

    @Test
    void itsTablesHoldTheSame()
    {
        TwoNodes.freshKeyspace(KEYSPACE);
        for (Node node : TwoNodes.both())
            SchemaFile.of(SERVER.resolve("schema/cassandra/temporal/schema.cql")).apply(node, KEYSPACE);
        GeneratedRows.assertSame(KEYSPACE);
    }
}
