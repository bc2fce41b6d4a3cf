/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.commitlog;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.cassiterite.nodetest.Await;
import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;
import io.cassiterite.nodetest.NodeBuilder;

/** Nodes with a small commit log to which engine tables write. */
final class LoggedNode
{
    static final String KEY = "memtable.configurations.cassiterite.parameters.commit_log";

    static final Duration BOUND = Duration.ofSeconds(120);
    private static final String FILLER = "x".repeat(100_000);

    private LoggedNode()
    {
    }

    static NodeBuilder named(String name)
    {
        return Node.named(name).heap("512m").yaml(KEY, "'true'").yaml("commitlog_segment_size", "1MiB");
    }

    static List<Path> segments(Node node)
    {
        return segments(node.base().resolve("commitlog"));
    }

    static List<Path> segments(Path folder)
    {
        try (Stream<Path> files = Files.list(folder))
        {
            return files.filter(file -> file.getFileName().toString().matches("CommitLog-.*\\.log")).sorted()
                        .collect(Collectors.toList());
        }
        catch (IOException e)
        {
            throw new AssertionError(e);
        }
    }

    /** Writes this much into a table with k int and v text; the keys are negative. */
    static void fill(Cql cql, String table, int mebibytes)
    {
        for (int i = 0; i < mebibytes * 11; i++)
            cql.run("INSERT INTO " + table + " (k, v) VALUES (?, ?)", -1 - i, FILLER);
    }

    /** Waits until the commit log has no more than these. */
    static void awaitSegments(Node node, int most)
    {
        Await.until("at most " + most + " segments", BOUND, () -> segments(node).size() <= most);
    }
}
