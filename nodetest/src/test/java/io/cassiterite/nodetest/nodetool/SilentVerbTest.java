/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.nodetool;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeTest;
import io.cassiterite.nodetest.Output;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Verbs that would look like a success, or like an empty table, without the plug-in's part. */
@NodeTest
class SilentVerbTest
{
    private static final String KEYSPACE = "silentverbtest";

    private final Node node;
    private final Cql cql;

    SilentVerbTest(Node node, Cql cql)
    {
        this.node = node;
        this.cql = cql;
    }

    private void create(String table)
    {
        cql.run("CREATE TABLE " + table + " (k int PRIMARY KEY, v text) WITH memtable = 'cassiterite'");
    }

    private void assertRefused(String table, String instead, String... verb)
    {
        Output output = node.nodetool(verb);
        assertNotEquals(0, output.exitCode(), output::text);
        assertTrue(output.text().contains("Cassiterite tables (" + KEYSPACE + "." + table + ")"), output::text);
        assertTrue(output.text().contains(instead), output::text);
    }

    @Test
    void theFilesOfAKeyAreNotTold()
    {
        create("g");
        cql.run("INSERT INTO g (k, v) VALUES (1, 'x')");
        assertRefused("g", "cassiterite.levels", "getsstables", KEYSPACE, "g", "1");
        assertRefused("g", "cassiterite.levels", "getsstables", "-l", KEYSPACE, "g", "1");
    }

    @Test
    void thresholdsOfCompactionAreNotSet()
    {
        create("h");
        assertRefused("h", "parameters", "setcompactionthreshold", KEYSPACE, "h", "4", "16");
    }

    @Test
    void thePathsHaveTheStore()
    {
        create("d");
        cql.run("CREATE TABLE stock (k int PRIMARY KEY)");
        String store = node.base().resolve("cassiterite").toString();
        String paths = node.nodetool("datapaths", KEYSPACE + ".d").success();
        assertTrue(paths.contains(store + "\n") && paths.contains("/data/" + KEYSPACE + "/d-"), paths);
        String ofStock = node.nodetool("datapaths", KEYSPACE + ".stock").success();
        assertTrue(!ofStock.contains(store + "\n"), ofStock);
    }

    @Test
    void keysAreSampled()
    {
        create("k");
        for (int k = 0; k < 2000; k++)
            cql.run("INSERT INTO k (k, v) VALUES (?, 'x')", k);
        Set<String> tokens = cql.rows("SELECT token(k) FROM k").stream().map(row -> Long.toString(row.getLong(0)))
                                .collect(Collectors.toSet());
        List<String> sampled = node.nodetool("rangekeysample").success().lines().map(String::trim).collect(Collectors.toList());
        long own = sampled.stream().filter(tokens::contains).count();
        assertTrue(own >= 10 && own <= 100, own + " of " + sampled);
        assertEquals(own, sampled.stream().filter(tokens::contains).distinct().count());
    }

    @Test
    void theEngineFollowsConcurrentCompactors()
    {
        create("c");
        String before = node.nodetool("getconcurrentcompactors").success().replaceAll("\\D", "");
        node.nodetool("setconcurrentcompactors", "6").success();
        assertEquals("7", setting("background_jobs")); // one of them for flushes
        node.nodetool("setconcurrentcompactors", "1").success();
        assertEquals("2", setting("background_jobs"));
        node.nodetool("setconcurrentcompactors", before).success();
    }

    private String setting(String name)
    {
        return cql.rows("SELECT value FROM cassiterite.settings WHERE name = ?", name).get(0).getString("value");
    }
}
