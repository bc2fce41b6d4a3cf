/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.packaging;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.cassiterite.nodetest.Checkout;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The Debian package that `make dist` has made brings all that a stock node needs. */
@Tag("surface")
class DebianPackageTest
{
    @TempDir
    private Path root;

    @BeforeEach
    void unpack() throws IOException, InterruptedException
    {
        Path folder = Checkout.root().resolve("build/dist");
        try (Stream<Path> files = Files.list(folder))
        {
            Path built = files.filter(file -> file.toString().endsWith(".deb")).findAny().orElseThrow();
            assertEquals(0, new ProcessBuilder("dpkg", "-x", built.toString(), root.toString()).inheritIO().start().waitFor());
        }
    }

    @Test
    void theEngineServesWithTheSnippetsOfThePackage() throws IOException
    {
        try (Node node = stock("debianpackage").yaml("memtable", memtable()).build())
        {
            node.start();
            try (Cql cql = node.cql())
            {
                cql.freshKeyspace("packaged");
                cql.run("CREATE TABLE packaged.t (k int PRIMARY KEY, v text) WITH memtable = 'cassiterite'");
                cql.run("INSERT INTO packaged.t (k, v) VALUES (1, 'x')");
            }
            node.restart();
            try (Cql cql = node.cql("packaged"))
            {
                assertEquals(List.of("k=1, v='x'"), cql.texts("SELECT * FROM t"));
            }
            node.log().await("Cassiterite \\S+ \\(RocksDB \\S+\\) opened ", Duration.ofSeconds(60));
        }
    }

    /** What is installed and not configured does nothing. */
    @Test
    void theJarAloneChangesNothing() throws IOException
    {
        try (Node node = Node.named("jaralone").stock().heap("512m").classpath(jar()).start(); Cql cql = node.cql())
        {
            cql.freshKeyspace("stock");
            String refusal = cql.refusal("CREATE TABLE stock.t (k int PRIMARY KEY) WITH memtable = 'cassiterite'");
            assertTrue(refusal.contains("cassiterite"), refusal);
            cql.run("CREATE TABLE stock.t (k int PRIMARY KEY)");
            assertTrue(node.log().grep("Cassiterite \\S+ \\(RocksDB").isEmpty());
        }
    }

    private NodeBuilder stock(String name) throws IOException
    {
        NodeBuilder builder = Node.named(name).stock().heap("512m").classpath(jar());
        for (String option : Files.readAllLines(root.resolve("usr/share/cassiterite/conf.d/50-jvm-server.options")))
            if (option.startsWith("-"))
                builder.jvm(option);
        return builder;
    }

    private Path jar() throws IOException
    {
        try (Stream<Path> jars = Files.list(root.resolve("usr/share/cassandra/lib")))
        {
            return jars.collect(Collectors.toList()).get(0);
        }
    }

    /** The value of the snippet's one key. */
    private String memtable() throws IOException
    {
        String snippet = Files.readString(root.resolve("usr/share/cassiterite/conf.d/50-cassandra.yaml"));
        String key = "\nmemtable:";
        return snippet.substring(snippet.indexOf(key) + key.length()).stripTrailing();
    }
}
