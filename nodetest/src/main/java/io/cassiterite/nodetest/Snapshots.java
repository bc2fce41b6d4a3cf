/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Snapshots of engine tables. */
public final class Snapshots
{
    private Snapshots()
    {
    }

    /** @return the engine's folder of the new snapshot */
    public static Path take(Node node, String keyspace, String table, String tag)
    {
        node.nodetool("snapshot", "-t", tag, "-kt", keyspace + '.' + table).success();
        return found(node, keyspace, table, tag);
    }

    /** @return the engine's folder of the snapshot whose tag begins so */
    public static Path found(Node node, String keyspace, String table, String tag)
    {
        try (Stream<Path> paths = Files.walk(node.base().resolve("data").resolve(keyspace)))
        {
            return paths.filter(path -> path.endsWith(".cassiterite") && path.getParent().getFileName().toString().startsWith(tag) &&
                                        path.toString().contains('/' + table + '-'))
                        .findAny().orElseThrow();
        }
        catch (IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }
}
