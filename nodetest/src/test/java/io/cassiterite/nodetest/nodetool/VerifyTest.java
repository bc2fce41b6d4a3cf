/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.nodetool;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeTest;
import io.cassiterite.nodetest.Output;
import io.cassiterite.nodetest.model.StoreFiles;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** nodetool verify reads the files of engine tables and the sstables of the others, and finds what is damaged. */
@NodeTest(own = true, yaml = "disk_failure_policy: best_effort")
class VerifyTest
{
    private static final String KEYSPACE = "verifytest";
    private static final Duration BOUND = Duration.ofSeconds(60);
    private static final int ROWS = 200;
    private static final int ROW_BYTES = 2000;

    private final Node node;

    VerifyTest(Node node)
    {
        this.node = node;
    }

    @BeforeAll
    static void write(Cql cql, Node node)
    {
        byte[] value = new byte[ROW_BYTES];
        Random random = new Random(7);
        cql.run("CREATE TABLE e (k int PRIMARY KEY, v blob, i int) WITH memtable = 'cassiterite'");
        cql.run("CREATE INDEX numbers ON e (i)");
        cql.run("CREATE TABLE s (k int PRIMARY KEY, v blob, i int)");
        for (int k = 0; k < ROWS; k++)
            for (String table : List.of("e", "s"))
            {
                random.nextBytes(value);
                cql.run("INSERT INTO " + table + " (k, v, i) VALUES (?, ?, ?)", k, ByteBuffer.wrap(value.clone()), k);
            }
        node.nodetool("flush", KEYSPACE).success();
    }

    @ParameterizedTest
    @ValueSource(strings = { "", "-e", "-q", "-e -t", "-c -d -r" })
    void intactTablesPass(String options)
    {
        node.log().mark();
        verify(options, KEYSPACE, "e").success();
        String entries = options.contains("-e") ? Integer.toString(2 * ROWS) : "0";
        node.log().await("Verified " + KEYSPACE + "\\.e in the engine: 2 files, \\d+ bytes, " + entries + " entries decoded", BOUND);
        verify(options, KEYSPACE).success();
        verify(options).success();
        assertFalse(node.log().grep("Verifying .*" + KEYSPACE + "[./]s").isEmpty());
    }

    @Test
    void aDamagedFileIsFoundAndNamedAsACorruptSstableIs() throws IOException
    {
        Path sst = StoreFiles.largest(StoreFiles.sstFiles(node));
        Path sstable = file(node.base().resolve("data").resolve(KEYSPACE), "-Data.db");
        StoreFiles.flip(sst, Files.size(sst) / 2);
        Output engine = verify("", KEYSPACE, "e");
        assertTrue(engine.text().contains(KEYSPACE + ".e: 1 of 2 files are damaged: "), engine::text);
        assertTrue(engine.text().contains(sst.getFileName().toString()), engine::text);
        assertTrue(engine.text().contains("disks-and-failures.md"), engine::text);
        for (String options : List.of("", "-e", "-d", "-e -t"))
            assertEquals(engine.exitCode(), verify(options).exitCode(), options);
        verify("-q", KEYSPACE, "e").success();
        verify("", KEYSPACE, "s").success();

        StoreFiles.flip(sstable, Files.size(sstable) / 2);
        node.log().mark();
        Output both = verify("", KEYSPACE);
        assertTrue(both.text().contains(sst.getFileName().toString()), both::text);
        assertTrue(both.text().contains("Invalid SSTable"), both::text);
        StoreFiles.flip(sst, Files.size(sst) / 2);
        Output stock = verify("", KEYSPACE);
        assertNotEquals(0, stock.exitCode());
        assertEquals(stock.exitCode(), engine.exitCode());
        node.log().await("Verified " + KEYSPACE + "\\.e in the engine", BOUND);
        StoreFiles.flip(sstable, Files.size(sstable) / 2);
        verify("-e").success();
        assertTrue(node.isRunning());
    }

    private static Path file(Path folder, String end)
    {
        try (Stream<Path> tree = Files.walk(folder))
        {
            return tree.filter(file -> file.toString().endsWith(end)).collect(Collectors.toList()).get(0);
        }
        catch (IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    private Output verify(String options, String... names)
    {
        return node.nodetool(Stream.of(Stream.of("verify", "-f"), Stream.of(options.split(" ")), Stream.of(names)).flatMap(words -> words)
                                   .filter(word -> !word.isEmpty()).toArray(String[]::new));
    }
}
