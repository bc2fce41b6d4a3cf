/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.backup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeTest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A node whose system_schema is older than its store keeps the values of columns that it does not know yet. */
@Tag("cluster")
@NodeTest(own = true)
class RestoredSchemaTest
{
    private static final String KEYSPACE = "restoredschematest";

    private final Node node;

    RestoredSchemaTest(Node node)
    {
        this.node = node;
    }

    @Test
    void aColumnThatAnOlderSchemaLacksComesBackWithItsValues(Cql first) throws IOException
    {
        Path schema = node.base().resolve("data/system_schema");
        Path saved = node.base().resolve("saved");
        first.run("CREATE TABLE t (k int PRIMARY KEY, v text, gone text) WITH memtable = 'cassiterite'");
        first.run("INSERT INTO t (k, v, gone) VALUES (1, 'one', 'gone')");
        first.run("ALTER TABLE t DROP gone");
        node.stop();
        copy(schema, saved);
        node.start();
        try (Cql cql = node.cql(KEYSPACE))
        {
            cql.run("ALTER TABLE t ADD w text");
            cql.run("ALTER TABLE t ADD gone text");
            cql.run("UPDATE t SET w = 'of w', gone = 'again' WHERE k = 1");
        }
        node.nodetool("drain").success();
        node.stop();
        delete(schema);
        delete(node.base().resolve("commitlog"));
        copy(saved, schema);

        node.start();
        try (Cql cql = node.cql(KEYSPACE))
        {
            assertEquals(List.of("k=1, v='one'"), cql.texts("SELECT * FROM t"));
            node.nodetool("compact", KEYSPACE, "t").success();
            cql.run("ALTER TABLE t ADD w text");
            cql.run("ALTER TABLE t ADD gone text");
            assertEquals(List.of("k=1, gone='again', v='one', w='of w'"), cql.texts("SELECT * FROM t"));
            cql.run("ALTER TABLE t DROP w");
            cql.run("ALTER TABLE t ADD w text");
            assertEquals(List.of("k=1, gone='again', v='one', w=null"), cql.texts("SELECT * FROM t"));
        }
        String console = Files.readString(node.base().resolve("logs/console.log"));
        assertTrue(console.contains("the schema of " + KEYSPACE + ".t lacks column w (text)"), console);
    }

    private static void copy(Path from, Path to) throws IOException
    {
        for (Path path : walk(from))
            Files.copy(path, to.resolve(from.relativize(path).toString()));
    }

    private static void delete(Path folder) throws IOException
    {
        List<Path> paths = walk(folder);
        paths.sort(Comparator.reverseOrder());
        for (Path path : paths)
            Files.delete(path);
    }

    private static List<Path> walk(Path folder) throws IOException
    {
        try (Stream<Path> paths = Files.walk(folder))
        {
            return paths.collect(Collectors.toList());
        }
    }
}
