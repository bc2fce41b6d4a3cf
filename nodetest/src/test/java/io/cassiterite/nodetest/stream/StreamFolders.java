/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.stream;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.cassiterite.nodetest.Await;
import io.cassiterite.nodetest.Node;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Checks that streams leave no files on a node's disk. */
final class StreamFolders
{
    private static final Duration BOUND = Duration.ofSeconds(120);

    private StreamFolders()
    {
    }

    /** Waits until neither direction has left anything, and no sstable of the keyspaces is there. */
    static void awaitEmpty(Node node, String... keyspaces)
    {
        Await.untilAsserted(BOUND, () -> assertEquals(List.of(), leftovers(node, keyspaces), () -> "left by streams on " + node.name()));
    }

    static List<Path> leftovers(Node node, String... keyspaces)
    {
        List<Path> found = files(node.base().resolve("cassiterite/export"), "");
        found.addAll(files(node.base().resolve("cassiterite/incoming"), ""));
        for (String keyspace : keyspaces)
            found.addAll(files(node.base().resolve("data").resolve(keyspace), "-Data.db"));
        return found;
    }

    private static List<Path> files(Path folder, String ending)
    {
        if (!Files.exists(folder))
            return Stream.<Path>empty().collect(Collectors.toList());
        try (Stream<Path> tree = Files.walk(folder))
        {
            return tree.filter(file -> Files.isRegularFile(file) && file.toString().endsWith(ending)).collect(Collectors.toList());
        }
        catch (IOException e)
        {
            throw new UncheckedIOException(e);
        }
        catch (UncheckedIOException e)
        {
            // removed meanwhile
            return files(folder, ending);
        }
    }
}
