/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.tools;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.cassiterite.nodetest.Await;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Medusa brings back the schema of the backup with its rows: also of tables that came, went, changed or moved since. */
@Tag("tools")
@Tag("cluster")
class MedusaSchemaTest
{
    private static final String KEYSPACE = "medusaschematest";
    private static final Duration BOUND = Duration.ofMinutes(2);

    @Test
    void tablesThatCameAndWentAreAsTheyWere()
    {
        Node node = mapped("tools-medusa-tables", "cassiterite").start();
        try
        {
            Medusa medusa = new Medusa(node);
            createKeyspace(node);
            try (Cql cql = node.cql(KEYSPACE))
            {
                for (String table : List.of("gone", "emptied", "altered", "filled_later"))
                    create(cql, table);
                for (String table : List.of("gone", "emptied", "altered"))
                    cql.run("INSERT INTO " + table + " (k, v) VALUES (1, 'one')");
                medusa.backUp(node, "one", "full");
                create(cql, "created_later");
                cql.run("ALTER TABLE altered ADD later text");
                cql.run("ALTER TABLE altered DROP v");
                cql.run("INSERT INTO altered (k, later) VALUES (2, 'two')");
                for (String table : List.of("filled_later", "created_later"))
                    cql.run("INSERT INTO " + table + " (k, v) VALUES (2, 'two')");
                cql.run("TRUNCATE emptied");
                cql.run("DROP TABLE gone");
            }
            medusa.restoreInPlace(node, "one");
            NodeBuilder again = mapped("tools-medusa-tables", "cassiterite").keep();
            // the one that was empty in the backup has a folder without files, and the option is for it, too
            String option = SetAside.forAll(SetAside.assertRefused(again, KEYSPACE, "altered"));
            node = again.jvm(option).start();
            assertAsBefore(node);
            node.restart();
            assertAsBefore(node);
        }
        finally
        {
            node.close();
        }
    }

    private static void assertAsBefore(Node node)
    {
        try (Cql cql = node.cql(KEYSPACE))
        {
            for (String table : List.of("gone", "emptied", "altered"))
                assertEquals(List.of("k=1, v='one'"), cql.texts("SELECT * FROM " + table));
            assertEquals(List.of(), cql.texts("SELECT * FROM filled_later"));
            cql.refusal("SELECT * FROM created_later");
        }
    }

    @Test
    void aTableThatMovedIsWhereItWas()
    {
        String name = "tools-medusa-moved";
        Node node = mapped(name, "trie").start();
        try
        {
            Medusa medusa = new Medusa(node);
            createKeyspace(node);
            try (Cql cql = node.cql(KEYSPACE))
            {
                cql.run("CREATE TABLE t (k int PRIMARY KEY, v text) WITH memtable = 'moving'");
            }
            insert(node, "stock");
            medusa.backUp(node, "stock", "differential");
            node.stop();

            node = mapped(name, "cassiterite").keep().start();
            node.direct(KEYSPACE, "t", "in");
            node.awaitMovedIn(KEYSPACE, BOUND);
            insert(node, "engine");
            medusa.backUp(node, "engine", "differential");
            node.direct(KEYSPACE, "t", "out");
            Node leaving = node;
            Await.until("the table may leave", BOUND, () -> leaving.moves().contains("ready"));
            node.nodetool("drain").success();
            node.stop();

            node = mapped(name, "trie").keep().start();
            insert(node, "later");
            assertEquals(List.of("'stock'", "'engine'", "'later'"), values(node));
            medusa.restoreInPlace(node, "engine");
            try (Node refused = mapped(name, "trie").keep().build())
            {
                String said = refused.startRefused();
                assertTrue(said.contains("the table's memtable is not Cassiterite's"), said);
            }
            node = mapped(name, "cassiterite").keep().start();
            assertEquals(List.of("'stock'", "'engine'"), values(node));

            medusa.restoreInPlace(node, "stock");
            SetAside.assertRefused(mapped(name, "cassiterite").keep(), KEYSPACE, "t");
            node = mapped(name, "cassiterite").keep().jvm("-Dcassiterite.set_aside=" + KEYSPACE + ".t").start();
            assertEquals(List.of("'stock'"), values(node));
            node.restart();
            assertEquals(List.of("'stock'"), values(node));
        }
        finally
        {
            node.close();
        }
    }

    private static void insert(Node node, String value)
    {
        try (Cql cql = node.cql(KEYSPACE))
        {
            cql.run("INSERT INTO t (k, v) VALUES (?, ?)", List.of("stock", "engine", "later").indexOf(value), value);
        }
    }

    private static List<String> values(Node node)
    {
        try (Cql cql = node.cql(KEYSPACE))
        {
            return cql.texts("SELECT v FROM t WHERE k IN (0, 1, 2)").stream().map(row -> row.substring("v=".length())).toList();
        }
    }

    private static void createKeyspace(Node node)
    {
        try (Cql cql = node.cql())
        {
            cql.freshKeyspace(KEYSPACE);
        }
    }

    private static void create(Cql cql, String table)
    {
        cql.run("CREATE TABLE " + table + " (k int PRIMARY KEY, v text) WITH memtable = 'cassiterite'");
    }

    private static NodeBuilder mapped(String name, String configuration)
    {
        return Node.named(name).heap("512m").patient().yaml("memtable.configurations.moving.inherits", configuration);
    }
}
