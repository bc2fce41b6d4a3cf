/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.start;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;
import io.cassiterite.nodetest.OtherCassandra;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Nodes of a Cassandra in which a private member that the plug-in uses has another name. */
class MissingMemberTest
{
    @TempDir
    private Path agent;

    /** HotSpot 17 fails where an agent changes a class of an archive. */
    private static NodeBuilder node(String name, String option)
    {
        return Node.named(name).heap("512m").jvm(option).jvm("-Xshare:off");
    }

    @Test
    void aNodeDoesNotStartAndNamesWhatItLacks()
    {
        String option = OtherCassandra.option(agent, "org.apache.cassandra.db.ColumnFamilyStore", "streamManager");
        try (Node node = node("membermissing", option).build())
        {
            String reason = node.startRefused();

            assertTrue(reason.contains("needs a private member of Cassandra"), reason);
            assertTrue(reason.contains("ColumnFamilyStore.streamManager"), reason);
        }
    }

    @Test
    void theFrontDoorStaysOffAndTheNodeServes()
    {
        String option = OtherCassandra.option(agent, "com.codahale.metrics.Timer", "meter");
        try (Node node = node("doormissing", option).frontDoor("reads").start(); Cql cql = node.cql())
        {
            cql.freshKeyspace("served");
            cql.run("CREATE TABLE served.t (k int PRIMARY KEY, v text) WITH memtable = 'cassiterite'");
            cql.run("INSERT INTO served.t (k, v) VALUES (1, 'x')");

            assertEquals(List.of("k=1, v='x'"), cql.texts("SELECT * FROM served.t"));
            node.log().await("The front door stays off: .*Timer.meter", Duration.ofSeconds(60));
            assertTrue(node.log().grep("The front door is ").isEmpty());
        }
    }
}
