/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.tools;

import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Debezium tells of the rows and the changes of an engine table what it tells of a stock one. It has no jar of the plug-in. */
@Tag("tools")
class DebeziumTest
{
    private static final String KEYSPACE = "debeziumtest";
    private static final String LAST = "the last one";

    @Test
    void tellsOfAllChanges()
    {
        List<String> expected = changes(Node.named("tools-debezium-stock").stock(), "");
        assertTrue(expected.size() > 30, expected::toString);
        NodeBuilder logged = Node.named("tools-debezium")
                                 .yaml("memtable.configurations.cassiterite.parameters.commit_log", "'true'");
        assertEquals(String.join("\n", expected), String.join("\n", changes(logged, " AND memtable = 'cassiterite'")));
    }

    private static List<String> changes(NodeBuilder named, String engine)
    {
        try (Node node = named.heap("512m").yaml("cdc_enabled", "true").yaml("commitlog_segment_size", "1MiB").start())
        {
            try (Cql cql = node.cql())
            {
                cql.freshKeyspace(KEYSPACE);
            }
            try (Cql cql = node.cql(KEYSPACE))
            {
                cql.run("CREATE TABLE captured (k int, c text, v text, n int, l list<int>, m map<text, int>, PRIMARY KEY (k, c))"
                        + " WITH cdc = true" + engine);
                cql.run("CREATE TABLE apart (k int PRIMARY KEY, v text) WITH cdc = false" + engine);
                write(cql);
                cql.run("INSERT INTO captured (k, c, v) VALUES (99, 'z', '" + LAST + "')");
            }
            return Program.own("debezium", "Changes").lines(node, node.base().resolve("conf/cassandra.yaml").toString(),
                                                            Folders.fresh(node, "debezium").toString(), LAST);
        }
    }

    private static void write(Cql cql)
    {
        for (int i = 0; i < 30; i++)
        {
            cql.run("INSERT INTO captured (k, c, v, n, l, m) VALUES (?, ?, ?, ?, [1, 2], {'a': 1})", i % 5, "c" + i, "v" + i, i);
            cql.run("INSERT INTO apart (k, v) VALUES (?, 'unseen')", i);
        }
        cql.run("UPDATE captured SET v = 'later' WHERE k = 1 AND c = 'c1'");
        cql.run("INSERT INTO captured (k, c, v) VALUES (1, 'new', 'if') IF NOT EXISTS");
        cql.run("BEGIN BATCH INSERT INTO captured (k, c, n) VALUES (7, 'x', 1); INSERT INTO captured (k, c, n) VALUES (7, 'y', 2);"
                + " APPLY BATCH");
        cql.run("DELETE v FROM captured WHERE k = 2 AND c = 'c2'");
        cql.run("DELETE FROM captured WHERE k = 3 AND c = 'c3'");
        cql.run("DELETE FROM captured WHERE k = 4");
    }
}
