/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.backup;

import org.junit.jupiter.api.Test;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;
import io.cassiterite.nodetest.Output;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** No incremental backup lacks engine tables without a word. */
class IncrementalBackupsTest
{
    private static final String KEYSPACE = "incrementalbackupstest";
    private static final String REASON = "incremental backups would lack them";
    private static final String ENGINE = " (k int PRIMARY KEY) WITH memtable = 'cassiterite'";

    @Test
    void theyAreRefusedBesideEngineTables()
    {
        Node node = named().start();
        try (node; Cql cql = node.cql())
        {
            cql.freshKeyspace(KEYSPACE);
            cql.run("CREATE TABLE " + KEYSPACE + ".stock (k int PRIMARY KEY)");
            node.nodetool("enablebackup").success();
            String refused = cql.refusal("CREATE TABLE " + KEYSPACE + ".engine" + ENGINE);
            assertTrue(refused.contains(REASON), refused);
            cql.run("CREATE TABLE " + KEYSPACE + ".engine" + ENGINE + " AND incremental_backups = false");
            refused = cql.refusal("ALTER TABLE " + KEYSPACE + ".engine WITH incremental_backups = true");
            assertTrue(refused.contains(REASON), refused);
            node.nodetool("enablebackup").success();

            node.nodetool("disablebackup").success();
            cql.run("ALTER TABLE " + KEYSPACE + ".engine WITH incremental_backups = true");
            Output enabled = node.nodetool("enablebackup");
            assertNotEquals(0, enabled.exitCode());
            assertTrue(enabled.text().contains("Nothing was done: " + KEYSPACE + ".engine") && enabled.text().contains(REASON),
                       enabled::text);
            assertTrue(node.nodetool("statusbackup").success().contains("not running"));
            node.stop();
        }
        try (Node refused = named().keep().yaml("incremental_backups", "true").build())
        {
            String output = refused.startRefused();
            assertTrue(output.contains(REASON) && output.contains("-Dcassiterite.without_incremental_backups=true"), output);
        }
        try (Node accepted = named().keep().yaml("incremental_backups", "true").jvm("-Dcassiterite.without_incremental_backups=true")
                                    .start();
             Cql cql = accepted.cql(KEYSPACE))
        {
            cql.run("CREATE TABLE more" + ENGINE);
            accepted.nodetool("enablebackup").success();
            assertEquals(0, cql.texts("SELECT * FROM more").size());
        }
    }

    private static NodeBuilder named()
    {
        return Node.named("incrementalbackups").heap("512m");
    }
}
