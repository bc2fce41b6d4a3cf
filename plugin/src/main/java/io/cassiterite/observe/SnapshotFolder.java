/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

import io.cassiterite.engine.SnapshotFiles;

/** The engine's folder in a snapshot of a table, as an operator names it. Needs no class of Cassandra. */
public final class SnapshotFolder
{
    private SnapshotFolder()
    {
    }

    /** @return why a node cannot find the snapshot by this path, or null if it can */
    public static String whyNotFound(String path)
    {
        return Path.of(path).isAbsolute() ? null
                                          : path + " is a relative path, which the node would take from its own working directory. Give "
                                            + "the absolute path that the folder has on the node";
    }

    /**
     * @param folder the engine's, or the manifest in it
     * @return what the snapshot has that is not loaded with the folder; null if there is no such thing, or it cannot be seen
     */
    public static String sstablesBeside(Path folder)
    {
        Path absolute = folder.toAbsolutePath().normalize();
        Path snapshot = isEngines(absolute) ? absolute.getParent() : above(above(absolute));
        if (snapshot == null || !isEngines(absolute) && !isEngines(above(absolute)) || !Files.isDirectory(snapshot))
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

    private static Path above(Path path)
    {
        return path == null ? null : path.getParent();
    }

    private static boolean isEngines(Path folder)
    {
        return folder != null && folder.getFileName() != null && SnapshotFiles.isFolder(folder.getFileName().toString());
    }
}
