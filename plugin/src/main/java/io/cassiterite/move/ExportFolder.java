/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.move;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.cassiterite.node.SyncedFolder;

/** The folder that an export makes. It has another name until it is complete and durable. */
final class ExportFolder
{
    private static final String PARTIAL = ".partial";

    private final Path folder;
    private final Path partial;
    private final List<Path> inside = new ArrayList<>();
    private boolean isMade;

    private ExportFolder(Path folder)
    {
        this.folder = folder;
        this.partial = folder.resolveSibling(folder.getFileName() + PARTIAL);
    }

    /**
     * @param directory an absolute path of a folder that is not there, or is empty
     * @param taken     folders of the node, in which nothing else may be
     * @throws IllegalArgumentException if an export could not make the folder, with the reason
     */
    static ExportFolder of(String directory, Collection<String> taken)
    {
        try
        {
            Path path = Path.of(directory);
            if (!path.isAbsolute() || path.getFileName() == null)
                throw new IllegalArgumentException(directory + " is no absolute path of a folder on the node's machine");
            Path parent = path.normalize().getParent();
            if (!Files.isDirectory(parent))
                throw new IllegalArgumentException(parent + " is no folder on the node's machine: make it first");
            ExportFolder folder = new ExportFolder(parent.toRealPath().resolve(path.normalize().getFileName()));
            folder.check(taken);
            return folder;
        }
        catch (InvalidPathException | IOException e)
        {
            throw new IllegalArgumentException(directory + " cannot be used: " + e, e);
        }
    }

    private void check(Collection<String> taken) throws IOException
    {
        for (String other : taken)
            if (other != null && Files.exists(Path.of(other)) && folder.startsWith(Path.of(other).toRealPath()))
                throw new IllegalArgumentException(folder + " lies in a folder of the node, " + other + ": name one outside");
        if (Files.exists(partial))
            throw new IllegalArgumentException(partial + " is there, of an export that did not end: delete it");
        if (Files.isSymbolicLink(folder) || Files.exists(folder) && !isEmptyFolder())
            throw new IllegalArgumentException(folder + " is there, and is no empty folder");
        if (Files.exists(folder) && !Files.getFileStore(folder).equals(Files.getFileStore(folder.getParent())))
            throw new IllegalArgumentException(folder + " is where a filesystem is mounted: name a new folder in it");
        if (!Files.isWritable(folder.getParent()))
            throw new IllegalArgumentException("Cassandra may not write to " + folder.getParent());
    }

    private boolean isEmptyFolder() throws IOException
    {
        if (!Files.isDirectory(folder))
            return false;
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder))
        {
            return !entries.iterator().hasNext();
        }
    }

    /** What it is called at the end. */
    Path path()
    {
        return folder;
    }

    /**
     * Makes it.
     *
     * @return where files are to be written: import and sstableloader read keyspace and table from the path, whatever these are
     */
    Path create(String keyspace, String table) throws IOException
    {
        Files.createDirectory(partial);
        isMade = true;
        Path tableFolder = Files.createDirectory(Files.createDirectory(partial.resolve(keyspace)).resolve(table));
        inside.addAll(List.of(tableFolder, tableFolder.getParent(), partial));
        return tableFolder;
    }

    /** Of its filesystem. */
    long freeBytes() throws IOException
    {
        return Files.getFileStore(partial).getUsableSpace();
    }

    /** Gives it its name, durably. */
    void complete() throws IOException
    {
        for (Path written : inside)
            SyncedFolder.sync(written);
        Files.move(partial, folder, StandardCopyOption.ATOMIC_MOVE);
        SyncedFolder.sync(folder.getParent());
    }

    /** Deletes what was written; nothing that others have made. */
    void discard() throws IOException
    {
        if (!isMade || !Files.exists(partial))
            return;
        List<Path> files;
        try (Stream<Path> found = Files.walk(partial))
        {
            files = found.sorted(Comparator.reverseOrder()).collect(Collectors.toList());
        }
        for (Path file : files)
            Files.deleteIfExists(file);
    }
}
