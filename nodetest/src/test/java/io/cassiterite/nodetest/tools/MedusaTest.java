/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.tools;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.cassiterite.nodetest.Checkout;
import io.cassiterite.nodetest.Command;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Medusa backs up stock and engine tables of one node, and each restore has their rows of that time: docs/operating/backup.md. */
@Tag("tools")
@Tag("cluster")
class MedusaTest
{
    private static final String KEYSPACE = "medusatest";
    private static final String WAL = "memtable.configurations.cassiterite.parameters.wal_directory";
    private static final Duration BOUND = Duration.ofMinutes(1);

    @Test
    void aFullBackupReplacesWhatCameLater()
    {
        String name = "tools-medusa-full";
        Node node = named(name).start();
        try
        {
            Medusa medusa = new Medusa(node);
            BackedUpTables tables = BackedUpTables.create(node, KEYSPACE);
            tables.write(node, 1);
            List<String> first = tables.rows(node);
            medusa.backUp(node, "one", "full");
            tables.write(node, 2);
            assertNotEquals(first, tables.rows(node));
            medusa.restoreInPlace(node, "one");

            node = setAside(name);
            assertSame(first, tables.rows(node));
            node.restart();
            assertSame(first, tables.rows(node));
            tables.write(node, 3);
            tables.rows(node);
        }
        finally
        {
            node.close();
        }
    }

    @Test
    void eachOfTwoDifferentialBackupsHasItsRows() throws IOException
    {
        String name = "tools-medusa-differential";
        Node node = named(name).start();
        try
        {
            Medusa medusa = new Medusa(node);
            BackedUpTables tables = BackedUpTables.create(node, KEYSPACE);
            tables.write(node, 1);
            List<String> first = tables.rows(node);
            medusa.backUp(node, "first", "differential");
            tables.write(node, 2);
            List<String> second = tables.rows(node);
            String said = medusa.backUp(node, "second", "differential");
            assertTrue(Pattern.compile("Skipping upload of [1-9][0-9]* files in " + KEYSPACE + "[.]engine-").matcher(said).find(), said);
            tables.write(node, 3);

            replaceAll(medusa, node, "first");
            assertSame(first, tables.rows(node));
            replaceAll(medusa, node, "second");
            assertSame(second, tables.rows(node));
            onto(medusa, tables, second, tokens(node));

            medusa.restoreInPlace(node, "first", "--table", KEYSPACE + ".engine", "--table", KEYSPACE + ".engine_counts");
            node = setAside(name);
            assertSame(first, tables.rows(node, "engine"));
            assertSame(second, tables.rows(node, "stock"));
            medusa.restoreInPlace(node, "first", "--table", KEYSPACE + ".stock", "--table", KEYSPACE + ".stock_counts");
            node = named(name).keep().start();
            assertSame(first, tables.rows(node));
        }
        finally
        {
            node.close();
        }
    }

    /** As the page says for all engine tables of a node. */
    private static void replaceAll(Medusa medusa, Node node, String backup) throws IOException
    {
        medusa.restoreInPlace(node, backup);
        for (String folder : List.of("cassiterite", "wal"))
        {
            Path away = node.base().resolve("moved_away").resolve(folder);
            Checkout.delete(away);
            Files.createDirectories(away.getParent());
            Files.move(node.base().resolve(folder), away);
        }
        Command.run(List.of("find", node.base().resolve("data").toString(), "-maxdepth", "3", "-name", "cassiterite.marker", "-delete"),
                    BOUND).success();
        node.start();
    }

    /** Onto a node that runs, as a new cluster does; then onto one without data. */
    private static void onto(Medusa medusa, BackedUpTables tables, List<String> second, List<String> tokens) throws IOException
    {
        String name = "tools-medusa-onto";
        Node node = named(name).start();
        try
        {
            assertNotEquals(tokens, tokens(node));
            for (int times = 0; times < 2; times++)
            {
                medusa.restoreOnto(node, "second");
                node = withTokensOf(name, node.base().resolve("conf/cassandra.yaml")).start();
                assertSame(second, tables.rows(node));
                assertEquals(tokens, tokens(node));
                tables.write(node, 4);
                assertNotEquals(second, tables.rows(node));
                node.stop();
                for (String folder : List.of("data", "commitlog", "saved_caches", "hints", "cassiterite", "wal"))
                    Checkout.delete(node.base().resolve(folder));
            }
        }
        finally
        {
            node.close();
        }
    }

    @Test
    void sstablesBesideTheEngineComeBackWithIt() throws IOException
    {
        String name = "tools-medusa-beside";
        Node node = named(name).start();
        try
        {
            Medusa medusa = new Medusa(node);
            BackedUpTables tables = BackedUpTables.create(node, KEYSPACE);
            tables.writeBeside(node);
            tables.write(node, 2);
            List<String> rows = tables.rows(node);
            assertEquals(2, node.moves().lines().filter(line -> line.contains(KEYSPACE)).count(), node::moves);
            medusa.backUp(node, "both", "full");
            tables.write(node, 3);
            medusa.restoreInPlace(node, "both");
            node = setAside(name);
            assertSame(rows, tables.rows(node));
            for (String table : List.of("engine", "engine_counts"))
                node.direct(KEYSPACE, table, "in");
            node.awaitMovedIn(KEYSPACE, BOUND);
            assertSame(rows, tables.rows(node));
        }
        finally
        {
            node.close();
        }
    }

    /** Refused at first; then with the option that the refusal names. */
    private static Node setAside(String name)
    {
        String refusal = SetAside.assertRefused(named(name).keep(), KEYSPACE, "engine", "engine_counts");
        return named(name).keep().jvm(SetAside.forAll(refusal)).start();
    }

    private static List<String> tokens(Node node)
    {
        return node.nodetool("info", "-T").success().lines().filter(line -> line.startsWith("Token")).sorted().toList();
    }

    /** The node's folder, with the tokens that Medusa has written into its configuration, which a start of a test writes anew. */
    private static NodeBuilder withTokensOf(String name, Path configuration) throws IOException
    {
        NodeBuilder builder = named(name).keep();
        String text = Files.readString(configuration);
        for (String key : List.of("initial_token", "num_tokens", "auto_bootstrap"))
        {
            Matcher line = Pattern.compile("(?m)^" + key + ": (.+)$").matcher(text);
            assertTrue(line.find(), text);
            builder.yaml(key, line.group(1));
        }
        return builder;
    }

    private static void assertSame(List<String> expected, List<String> found)
    {
        assertEquals(String.join("\n", expected), String.join("\n", found));
    }

    private static NodeBuilder named(String name)
    {
        return Node.named(name).heap("512m").patient().yaml(WAL, Checkout.nodes().resolve(name).resolve("wal").toString());
    }
}
