/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Nodes that cannot start say why. */
class RefusedStartTest
{
    @Test
    void aNodeLogsWhyItRefusesItsConfiguration()
    {
        try (Node node = Node.named("refused").stock().heap("256m").yaml("no_such_key", "1").build())
        {
            String reason = node.startRefused();

            assertTrue(reason.contains("no_such_key"), reason);
            assertFalse(node.isRunning());
        }
    }

    @Test
    void wrongParametersOfTheEngineAreRefusedBeforeAnyTableUsesThem()
    {
        String memtable = "\n  configurations:\n    cassiterite:\n      class_name: io.cassiterite.memtable.CassiteriteMemtable\n" +
                          "      parameters:\n        block_cash_size: 64MiB";
        try (Node node = Node.named("misspelt").heap("512m").yaml("memtable", memtable).build())
        {
            String reason = node.startRefused();

            assertTrue(reason.contains("block_cash_size") && reason.contains("block_cache_size"), reason);
        }
    }

    @Test
    void aStopIsCleanAndAnotherStartKeepsTheData()
    {
        try (Node node = Node.named("stopped").stock().heap("512m").start())
        {
            try (Cql cql = node.cql())
            {
                cql.freshKeyspace("kept");
            }
            node.restart();
            try (Cql cql = node.cql("kept"))
            {
                assertTrue(cql.texts("SELECT * FROM system_schema.tables WHERE keyspace_name = 'kept'").isEmpty());
            }
            assertTrue(node.log().errors().isEmpty(), () -> node.log().errors().toString());
        }
    }
}
