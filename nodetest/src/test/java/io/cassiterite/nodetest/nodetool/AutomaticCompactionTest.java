/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.nodetool;

import java.time.Duration;

import com.datastax.oss.driver.api.core.cql.Row;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.cassiterite.nodetest.Await;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.EngineFigures;
import io.cassiterite.nodetest.Jmx;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeTest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Automatic compaction is switched off and on by verb and by schema, as of stock tables; nodetool tells the truth. */
@Tag("cluster")
@NodeTest(own = true)
class AutomaticCompactionTest
{
    private static final String KEYSPACE = "automaticcompactiontest";
    private static final String OFF = " compaction = {'class': 'SizeTieredCompactionStrategy', 'enabled': 'false'}";
    private static final String ON = " compaction = {'class': 'SizeTieredCompactionStrategy', 'enabled': 'true'}";
    private static final Duration BOUND = Duration.ofSeconds(120);
    private static final int MANY = 25;
    private static final int FEW = 12;

    private final Node node;
    private Cql cql;

    AutomaticCompactionTest(Node node, Cql cql)
    {
        this.node = node;
        this.cql = cql;
    }

    @Test
    void theVerbSwitchesItUntilTheNextStart()
    {
        cql.run("CREATE TABLE v (k int PRIMARY KEY, v text) WITH memtable = 'cassiterite'");
        assertEquals("running", status("v"));
        node.nodetool("disableautocompaction", KEYSPACE, "v").success();
        assertEquals("not running", status("v"));
        flushOften("v", MANY);
        assertEquals(MANY, files("v"));
        node.log().await("Automatic compaction of " + KEYSPACE + ".v is off, and 2\\d files of level 0", BOUND);
        assertEquals(0L, figure("v", "automatic_compaction"));

        node.nodetool("enableautocompaction", KEYSPACE).success();
        assertEquals("running", status("v"));
        awaitFewFiles("v");
        assertEquals(MANY, cql.rows("SELECT * FROM v").size());

        node.nodetool("disableautocompaction").success();
        assertEquals("not running", status("v"));
        flushOften("v", MANY);
        restart();
        assertEquals("running", status("v"));
        awaitFewFiles("v");
        assertNoStalls();
    }

    @Test
    void theSchemaSwitchesIt()
    {
        cql.run("CREATE TABLE s (k int PRIMARY KEY, v text) WITH memtable = 'cassiterite' AND" + OFF);
        assertEquals("not running", status("s"));
        flushOften("s", MANY);
        assertEquals(MANY, files("s"));

        restart();
        assertEquals("not running", status("s"));
        flushOften("s", 1);
        assertEquals(MANY + 1, files("s"));

        cql.run("TRUNCATE s");
        flushOften("s", MANY);
        assertEquals(MANY, files("s"));
        node.nodetool("compact", KEYSPACE, "s").success();
        assertEquals(0, files("s"));

        flushOften("s", MANY);
        cql.run("ALTER TABLE s WITH" + ON);
        assertEquals("running", status("s"));
        awaitFewFiles("s");
        cql.run("ALTER TABLE s WITH" + OFF);
        assertEquals("not running", status("s"));
        flushOften("s", MANY);
        assertTrue(files("s") >= MANY);
        assertNoStalls();
    }

    private void restart()
    {
        node.restart();
        cql = node.cql(KEYSPACE);
    }

    private String status(String table)
    {
        return node.nodetool("statusautocompaction", KEYSPACE, table).success().strip();
    }

    private void flushOften(String table, int times)
    {
        try (Jmx jmx = node.jmx())
        {
            for (int k = 0; k < times; k++)
            {
                cql.run("INSERT INTO " + table + " (k, v) VALUES (?, 'v')", k);
                jmx.flush(KEYSPACE, table);
            }
        }
    }

    private void awaitFewFiles(String table)
    {
        Await.untilAsserted(BOUND, () -> {
            long files = files(table);
            assertTrue(files < FEW, () -> files + " files");
        });
    }

    private long files(String table)
    {
        return figure(table, "level0_files");
    }

    private long figure(String table, String name)
    {
        return EngineFigures.of(cql, KEYSPACE, table, name);
    }

    private void assertNoStalls()
    {
        for (Row row : cql.rows("SELECT cause_name, times FROM cassiterite.stalls"))
            if (row.getString("cause_name").startsWith("writes_"))
                assertEquals(0, row.getLong("times"), row.getString("cause_name"));
    }
}
