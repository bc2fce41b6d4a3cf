/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.move;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;

import static org.junit.jupiter.api.Assertions.assertTrue;

/** A node with a memtable key of its own, which is mapped to a stock memtable or to the engine. */
final class EnteringNode
{
    static final String KEY = "moving";
    static final String MARKER = "cassiterite.marker";

    private EnteringNode()
    {
    }

    static NodeBuilder stock(String name)
    {
        return mapped(name, "trie");
    }

    static NodeBuilder engine(String name)
    {
        return mapped(name, "cassiterite");
    }

    private static NodeBuilder mapped(String name, String configuration)
    {
        return Node.named(name).heap("512m").yaml("memtable.configurations." + KEY + ".inherits", configuration)
                   .yaml("materialized_views_enabled", "true").yaml("cdc_enabled", "true");
    }

    /** The files of this name in the tables' folders. */
    static List<Path> files(Node node, String name) throws IOException
    {
        try (Stream<Path> files = Files.walk(node.base().resolve("data/" + FilledTables.KEYSPACE)))
        {
            return files.filter(file -> file.endsWith(name)).collect(Collectors.toList());
        }
    }

    static void assertRefused(NodeBuilder builder, String... reasons)
    {
        try (Node refused = builder.build())
        {
            String output = refused.startRefused();
            for (String reason : reasons)
                assertTrue(output.contains(reason), () -> reason + ": " + output);
        }
    }
}
