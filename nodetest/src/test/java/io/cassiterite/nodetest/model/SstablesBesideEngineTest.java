/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.model;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import io.cassiterite.nodetest.Await;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeTest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * D6: imported sstables beside the engine. A tombstone on one side that shadows data on the other is not purged, whichever
 * side compacts, also when they have moved; and (D11) iterators that sstable compaction does not close pin nothing.
 */
@NodeTest(own = true, yaml = "auto_snapshot: false")
class SstablesBesideEngineTest
{
    private static final String KEYSPACE = "sstablesbesideenginetest";
    private static final String COLUMNS = " (p int, c int, v int, PRIMARY KEY (p, c)) WITH gc_grace_seconds = 0 AND memtable = ";

    private static void create(Node node, Cql cql, String table)
    {
        cql.run("CREATE TABLE " + table + "_source" + COLUMNS + "'trie'");
        cql.run("CREATE TABLE " + table + COLUMNS + "'cassiterite'");
        node.direct(KEYSPACE, table, "hold");
    }

    private static void moveIn(Node node, String table)
    {
        node.direct(KEYSPACE, table, "in");
        Await.until("no sstables", Duration.ofMinutes(1), () -> !node.moves().contains(KEYSPACE + '\t' + table + '\t'));
    }

    /** Flushes the stock table and imports its sstables into the engine table. */
    private static void carryOver(Node node, String table) throws IOException
    {
        node.flush(KEYSPACE, table + "_source");
        Path target = Files.createTempDirectory(Files.createDirectories(node.base().resolve("import")), table);
        try (Stream<Path> folders = Files.list(node.base().resolve("data").resolve(KEYSPACE)))
        {
            Path source = folders.filter(f -> f.getFileName().toString().startsWith(table + "_source-")).findFirst().orElseThrow();
            try (Stream<Path> files = Files.list(source))
            {
                for (Path file : files.filter(Files::isRegularFile).collect(Collectors.toList()))
                    Files.copy(file, target.resolve(file.getFileName()));
            }
        }
        node.nodetool("import", KEYSPACE, table, target.toString()).success();
    }

    private static void compact(Node node, String table)
    {
        node.flush(KEYSPACE, table);
        node.compact(KEYSPACE, table);
    }

    @Test
    void tombstonesOfTheEngineShadowSstables(Node node, Cql cql) throws Exception
    {
        create(node, cql, "young");
        for (int p = 0; p < 4; p++)
            for (int c = 0; c < 4; c++)
            {
                cql.run("INSERT INTO young_source (p, c, v) VALUES (" + p + ", " + c + ", 1) USING TIMESTAMP 100");
                cql.run("INSERT INTO young (p, c, v) VALUES (" + p + ", " + c + ", 0) USING TIMESTAMP 50");
            }
        carryOver(node, "young");
        assertEquals(16, cql.rows("SELECT * FROM young WHERE v = 1 ALLOW FILTERING").size());
        cql.run("DELETE FROM young USING TIMESTAMP 200 WHERE p = 0");
        cql.run("DELETE FROM young USING TIMESTAMP 200 WHERE p = 1 AND c > 1");
        cql.run("DELETE FROM young USING TIMESTAMP 200 WHERE p = 2 AND c = 3");
        cql.run("DELETE v FROM young USING TIMESTAMP 200 WHERE p = 3 AND c = 0");
        List<String> before = cql.texts("SELECT * FROM young");
        assertEquals(9, before.size(), before.toString());
        Thread.sleep(2000);
        for (int round = 0; round < 4; round++)
        {
            if (round == 2)
                moveIn(node, "young");
            compact(node, "young");
            assertEquals(before, cql.texts("SELECT * FROM young"));
        }
    }

    @Test
    void tombstonesOfSstablesShadowTheEngine(Node node, Cql cql) throws Exception
    {
        create(node, cql, "old");
        for (int p = 0; p < 3; p++)
            for (int c = 0; c < 200; c++)
                cql.run("INSERT INTO old (p, c, v) VALUES (" + p + ", " + c + ", 1) USING TIMESTAMP 100");
        node.flush(KEYSPACE, "old");
        cql.run("DELETE FROM old_source USING TIMESTAMP 200 WHERE p = 0");
        cql.run("DELETE FROM old_source USING TIMESTAMP 200 WHERE p = 1 AND c >= 50");
        cql.run("DELETE FROM old_source USING TIMESTAMP 200 WHERE p = 2 AND c = 7");
        carryOver(node, "old");
        cql.run("TRUNCATE old_source");
        cql.run("INSERT INTO old_source (p, c, v) VALUES (9, 9, 9) USING TIMESTAMP 300");
        carryOver(node, "old");
        List<String> before = cql.texts("SELECT p, count(*) FROM old GROUP BY p");
        assertEquals(3, before.size(), before.toString());
        Thread.sleep(2000);
        for (int round = 0; round < 6; round++)
        {
            if (round == 4)
                moveIn(node, "old");
            compact(node, "old");
            assertEquals(before, cql.texts("SELECT p, count(*) FROM old GROUP BY p"));
        }
        assertEquals(List.of(), cql.texts("SELECT * FROM old WHERE p = 0"));
        assertTrue(node.isRunning());
        cql.run("DROP TABLE old");
    }
}
