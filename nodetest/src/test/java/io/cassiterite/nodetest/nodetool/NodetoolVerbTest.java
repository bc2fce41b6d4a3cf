/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.nodetool;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.cassiterite.nodetest.Await;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Jmx;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeTest;
import io.cassiterite.nodetest.Output;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** nodetool's verbs work on engine tables or are refused; the figures that they show are right. */
@Tag("surface")
@NodeTest
class NodetoolVerbTest
{
    private static final String KEYSPACE = "nodetoolverbtest";

    private final Node node;
    private final Cql cql;

    NodetoolVerbTest(Node node, Cql cql)
    {
        this.node = node;
        this.cql = cql;
    }

    @Test
    void flushAndCompactReachTheEngine()
    {
        cql.run("CREATE TABLE f (k int PRIMARY KEY, v text) WITH memtable = 'cassiterite'");
        for (int k = 0; k < 100; k++)
            cql.run("INSERT INTO f (k, v) VALUES (?, ?)", k, "value " + k);
        node.nodetool("flush", KEYSPACE, "f").success();
        assertEquals(100, cql.rows("SELECT * FROM f").size());
        node.nodetool("compact", KEYSPACE, "f").success();
        assertEquals(100, cql.rows("SELECT * FROM f").size());
        String levels = cql.texts("SELECT * FROM cassiterite.levels WHERE keyspace_name = ? AND table_name = ?", KEYSPACE, "f").toString();
        assertNotEquals("[]", levels);
        // the counter follows each second
        Await.until("the space is counted", Duration.ofSeconds(120),
                    () -> !node.nodetool("tablestats", KEYSPACE + ".f").success().contains("Space used (live): 0\n"));
    }

    @Test
    void verbsWithoutAMeaningAreRefused()
    {
        cql.run("CREATE TABLE r (k int PRIMARY KEY, v text) WITH memtable = 'cassiterite'");
        for (List<String> verb : List.of(List.of("scrub", KEYSPACE, "r"),
                                         List.of("compact", "--partition", "1", KEYSPACE, "r"),
                                         List.of("forcecompact", KEYSPACE, "r", "1")))
        {
            Output output = node.nodetool(verb.toArray(new String[0]));
            assertNotEquals(0, output.exitCode(), verb::toString);
            assertTrue(output.text().contains("Cassiterite tables (" + KEYSPACE + ".r)"), output::text);
        }
    }

    @Test
    void verbsThatHaveNothingToDoSucceed()
    {
        cql.run("CREATE TABLE n (k int PRIMARY KEY, v text) WITH memtable = 'cassiterite'");
        node.nodetool("cleanup", KEYSPACE, "n").success();
        node.nodetool("relocatesstables", KEYSPACE, "n").success();
        node.nodetool("upgradesstables", KEYSPACE, "n").success();
        node.nodetool("garbagecollect", KEYSPACE, "n").success();
    }

    @Test
    void snapshotWithoutFlushHoldsTheRows() throws Exception
    {
        cql.run("CREATE TABLE p (k int PRIMARY KEY, v text) WITH memtable = 'cassiterite'");
        cql.run("INSERT INTO p (k, v) VALUES (1, 'kept')");
        node.nodetool("snapshot", "--skip-flush", "-t", "verbs", "-kt", KEYSPACE + ".p").success();
        try (var paths = java.nio.file.Files.walk(node.base().resolve("data").resolve(KEYSPACE)))
        {
            String manifest = ".*/snapshots/verbs/[.]cassiterite/[0-9a-f]{32}-cassiterite[.]manifest";
            assertTrue(paths.anyMatch(path -> path.toString().matches(manifest)));
        }
        node.nodetool("clearsnapshot", "-t", "verbs", KEYSPACE).success();
    }

    @Test
    void engineReportsOverJmx()
    {
        try (Jmx jmx = node.jmx())
        {
            cql.run("CREATE TABLE j (k int PRIMARY KEY) WITH memtable = 'cassiterite'");
            assertTrue(jmx.attribute(Jmx.ENGINE, "Version").toString().startsWith("cassiterite/"));
            cql.run("INSERT INTO j (k) VALUES (1)");
            assertEquals(1L, jmx.attribute("org.apache.cassandra.metrics:type=Table,keyspace=" + KEYSPACE +
                                           ",scope=j,name=cassiterite_writes", "Value"));
            assertFalse(jmx.names("org.apache.cassandra.metrics:type=Cassiterite,*").isEmpty());
        }
    }

    @Test
    void liveParametersAreSetOverJmx()
    {
        cql.run("CREATE TABLE l (k int PRIMARY KEY) WITH memtable = 'cassiterite'");
        String before = setting("max_wal_size");
        assertEquals("", set("max_wal_size", "512MiB"));
        assertEquals("512MiB", setting("max_wal_size"));
        assertEquals("", set("max_wal_size", before));
        assertTrue(set("block_size", "16KiB").contains("block_size"));
        assertTrue(set("max_wal_size", "much").contains("max_wal_size"));
        assertEquals(before, setting("max_wal_size"));
    }

    private String setting(String name)
    {
        return cql.rows("SELECT value FROM cassiterite.settings WHERE name = ?", name).get(0).getString("value");
    }

    /** @return why it was refused, or nothing */
    private String set(String name, String value)
    {
        try (Jmx jmx = node.jmx())
        {
            jmx.parameter(name, value);
            return "";
        }
        catch (RuntimeException e)
        {
            Throwable cause = e;
            while (cause.getCause() != null)
                cause = cause.getCause();
            return cause.getMessage();
        }
    }

    @Test
    void virtualTablesShowTheEngine()
    {
        cql.run("CREATE TABLE v (k int PRIMARY KEY) WITH memtable = 'cassiterite'");
        assertEquals(1, cql.rows("SELECT * FROM cassiterite.tables WHERE keyspace_name = ? AND table_name = ?", KEYSPACE, "v").size());
        for (String table : List.of("stalls", "caches", "settings", "work"))
            assertTrue(!cql.rows("SELECT * FROM cassiterite." + table).isEmpty(), table);
    }
}
