/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The engine's folder in a snapshot of a table, which has other files around it. Needs no class of Cassandra. */
public final class SnapshotFolder
{
    private static final String NAME = "cassiterite";

    private SnapshotFolder()
    {
    }

    /**
     * @param folder the engine's
     * @return what the snapshot has that is not loaded with the folder; null if there is no such thing, or it cannot be seen
     */
    public static String sstablesBeside(Path folder)
    {
        Path snapshot = folder.toAbsolutePath().normalize().getParent();
        if (snapshot == null || !folder.normalize().endsWith(NAME) || !Files.isDirectory(snapshot))
            return null;
        try (Stream<Path> files = Files.list(snapshot))
        {
            long sstables = files.filter(file -> file.getFileName().toString().endsWith("-Data.db")).count();
            return sstables == 0 ? null
                                 : "its snapshot has " + sstables + " sstables, too, which lay beside the engine and were not loaded: give "
                                   + snapshot + " to sstableloader";
        }
        catch (IOException e)
        {
            return null;
        }
    }
}
