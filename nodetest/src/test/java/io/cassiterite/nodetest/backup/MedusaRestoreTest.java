/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.backup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.datastax.oss.driver.api.core.DriverException;
import org.junit.jupiter.api.Test;

import io.cassiterite.nodetest.Await;
import io.cassiterite.nodetest.Checkout;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;
import io.cassiterite.nodetest.Pause;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** M9, M13: what a backup program has put back is there when the node serves, or the node does not start. */
class MedusaRestoreTest
{
    private static final String KEYSPACE = "medusarestoretest";
    private static final int ROWS = 300;
    private static final Duration BOUND = Duration.ofMinutes(5);
    private static final int[] KILL_AFTER_MILLIS = { 0, 20, 80 };

    @Test
    void restoredRowsAreThereWhenTheNodeServes() throws IOException
    {
        Node node = named("medusarestored").start();
        try
        {
            Medusa medusa = new Medusa(node.base().resolve("backup"));
            List<String> before;
            try (Cql cql = node.cql())
            {
                create(cql);
                fill(cql, "kept");
                before = rows(cql);
            }
            node.nodetool("snapshot", "-t", "one").success();
            medusa.backUp(node.base().resolve("data"), "one");
            try (Cql cql = node.cql(KEYSPACE))
            {
                cql.run("DELETE FROM engine WHERE k = 1");
                cql.run("INSERT INTO engine (k, v, w) VALUES (-1, 'later', 1)");
            }
            node.stop();

            restoreInPlace(node, medusa, before);
            restoreOntoANewNode(medusa, before);
        }
        finally
        {
            node.close();
        }
    }

    private static void restoreInPlace(Node node, Medusa medusa, List<String> before) throws IOException
    {
        medusa.restore("one", node.base(), true);
        assertRefused("medusarestored", "The start does not take them in: the table has rows");
        try (Node again = named("medusarestored").keep().jvm("-Dcassiterite.set_aside=" + KEYSPACE + ".engine").start())
        {
            assertRestored(again, before);
            assertTrue(again.nodetool("listsnapshots").success().contains("found-"), "the rows of before");
            again.restart();
            assertRestored(again, before);
            assertTrue(again.nodetool("listsnapshots").success().contains("restored-"), "as a snapshot of the node");
            again.stop();
        }
    }

    /** Killed in the middle again and again, and at first with a file missing. */
    private static void restoreOntoANewNode(Medusa medusa, List<String> before) throws IOException
    {
        Node fresh = named("medusaonto").build();
        medusa.restore("one", fresh.base(), false);
        Path table = tableFolder(fresh, "engine");
        Path lacking = sst(table.resolve(".cassiterite"));
        Path aside = fresh.base().resolve(lacking.getFileName());
        Files.move(lacking, aside);
        String refusal = assertRefused("medusaonto", "No such file");
        assertTrue(refusal.contains("    mkdir -p '" + table + "/snapshots/restored-"), refusal);
        Files.move(aside, lacking);

        for (int millis : KILL_AFTER_MILLIS)
            killWhileItIsTakenIn(table, millis);
        try (Node started = named("medusaonto").keep().start())
        {
            assertRestored(started, before);
            assertFalse(Files.exists(table.resolve("cassiterite.restore")));
            assertFalse(Files.exists(table.resolve(".cassiterite")));
        }
    }

    private static void killWhileItIsTakenIn(Path table, int millis)
    {
        Path folder = table.resolve(".cassiterite");
        try (Node victim = named("medusaonto").keep().build())
        {
            CompletableFuture<Void> start = CompletableFuture.runAsync(victim::start);
            Await.until("the snapshot is being taken in", BOUND, () -> start.isDone() || isTakingIn(victim, folder));
            Pause.millis(millis);
            victim.killNine();
            start.handle((nothing, failure) -> nothing).join();
        }
    }

    /** Or has taken it in. */
    private static boolean isTakingIn(Node node, Path folder)
    {
        return node.isRunning() && (!Files.exists(folder) || !node.log().grep("Reading the snapshot of").isEmpty());
    }

    /** A store that follows another one has other files of the same numbers and sizes. */
    @Test
    void aDifferentialBackupTakesNoFileOfAnotherStore() throws IOException
    {
        Node node = named("medusadifferential").start();
        try
        {
            Medusa medusa = new Medusa(node.base().resolve("backup"));
            try (Cql cql = node.cql())
            {
                create(cql);
                fill(cql, "aaaa");
            }
            node.nodetool("snapshot", "-t", "one").success();
            medusa.backUp(node.base().resolve("data"), "one");
            node.stop();
            Checkout.delete(node.base().resolve("cassiterite"));
            Files.delete(tableFolder(node, "engine").resolve("cassiterite.marker"));
            node.start();
            List<String> second;
            try (Cql cql = node.cql(KEYSPACE))
            {
                assertEquals(List.of(), cql.texts("SELECT * FROM engine"));
                fill(cql, "bbbb");
                second = rows(cql);
            }
            node.nodetool("snapshot", "-t", "two").success();
            assertTrue(medusa.backUp(node.base().resolve("data"), "two") > 0, "files of tables that have not changed are known");
            node.stop();
            medusa.restore("two", node.base(), true);
            Checkout.delete(node.base().resolve("cassiterite"));
            node.start();
            assertRestored(node, second);
        }
        finally
        {
            node.close();
        }
    }

    private static void create(Cql cql)
    {
        cql.freshKeyspace(KEYSPACE);
        for (String memtable : List.of("trie", "cassiterite"))
            cql.run("CREATE TABLE " + KEYSPACE + '.' + (memtable.equals("trie") ? "stock" : "engine") +
                    " (k int PRIMARY KEY, v text, w int) WITH memtable = '" + memtable + '\'');
        cql.run("CREATE INDEX engine_w ON " + KEYSPACE + ".engine (w)");
    }

    private static void fill(Cql cql, String value)
    {
        for (String table : List.of("stock", "engine"))
            cql.runEach("INSERT INTO " + KEYSPACE + '.' + table + " (k, v, w) VALUES (?, ?, ?)", IntStream.range(0, ROWS),
                        k -> new Object[]{ k, value, k % 3 });
    }

    private static List<String> rows(Cql cql)
    {
        List<String> rows = cql.texts("SELECT k, v, w, writetime(v) FROM " + KEYSPACE + ".engine");
        assertEquals(ROWS, rows.size());
        return rows;
    }

    private static void assertRestored(Node node, List<String> before)
    {
        try (Cql cql = node.cql(KEYSPACE))
        {
            assertEquals(before, rows(cql));
            assertEquals(ROWS, cql.texts("SELECT k FROM stock").size());
            // until the index has all entries it answers nothing
            Await.until("the index answers", BOUND, () -> answersWhole(cql));
        }
    }

    private static boolean answersWhole(Cql cql)
    {
        try
        {
            assertEquals(ROWS / 3, cql.texts("SELECT k FROM engine WHERE w = 2").size());
            return true;
        }
        catch (DriverException e)
        {
            return false;
        }
    }

    private static String assertRefused(String name, String why)
    {
        try (Node refused = named(name).keep().build())
        {
            String output = refused.startRefused();
            assertTrue(output.contains(why) && output.contains("which nothing reads there"), output);
            return output;
        }
    }

    private static Path tableFolder(Node node, String table) throws IOException
    {
        try (Stream<Path> tables = Files.list(node.base().resolve("data").resolve(KEYSPACE)))
        {
            return tables.filter(path -> path.getFileName().toString().startsWith(table + '-')).findFirst().orElseThrow();
        }
    }

    private static Path sst(Path folder) throws IOException
    {
        try (Stream<Path> files = Files.list(folder))
        {
            return files.filter(file -> file.toString().endsWith(".sst")).sorted().collect(Collectors.toList()).get(0);
        }
    }

    private static NodeBuilder named(String name)
    {
        return Node.named(name).heap("512m");
    }
}
