/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import io.cassiterite.engine.SnapshotFiles;
import io.cassiterite.node.TableFolder;

/**
 * Finds in a backup the folders that have the engine's files or sstables, however deep a backup program has put them. Needs no
 * class of Cassandra.
 */
final class BackupFolders
{
    private static final String SNAPSHOTS = "snapshots";
    private static final String BACKUPS = "backups";
    private static final String SSTABLE_END = "-Data.db";
    /** A folder with it is a database: a store is no backup. */
    private static final String DATABASE_MARK = "CURRENT";
    private static final String DATABASE = "db";
    private static final int DEPTH_MAX = 10;

    final List<Found> found = new ArrayList<>();
    private final Set<Path> visited = new HashSet<>();

    /** A folder with files of tables. */
    static final class Found
    {
        final Path folder;
        /** What the path says, or null. */
        final TableFolder table;
        /** The name of the snapshot that the path tells, or an empty string. */
        final String snapshot;
        final boolean isOfIncrements;
        boolean hasEngineFiles;
        boolean hasManifest;
        int sstables;
        /** Why it cannot be looked at, or null. */
        String error;

        Found(Path folder)
        {
            this.folder = folder;
            table = TableFolder.around(folder);
            Path inside = table == null ? null : table.path.relativize(folder);
            snapshot = inside != null && inside.getNameCount() > 1 && inside.startsWith(SNAPSHOTS) ? inside.getName(1).toString() : "";
            isOfIncrements = inside != null && inside.startsWith(BACKUPS);
        }
    }

    private BackupFolders()
    {
    }

    /** @param folder an absolute path */
    static List<Found> in(Path folder)
    {
        BackupFolders folders = new BackupFolders();
        folders.search(folder.normalize(), 0);
        return folders.found;
    }

    /** @return what a node has of a snapshot, and of incremental backups */
    static List<Found> ofSnapshot(List<Path> dataDirectories, String name)
    {
        BackupFolders folders = new BackupFolders();
        for (Path data : dataDirectories)
            for (Path keyspace : folders.children(data))
                for (Path table : folders.children(keyspace))
                    if (TableFolder.of(table) != null)
                        for (Path inner : List.of(table.resolve(SNAPSHOTS).resolve(name), table.resolve(BACKUPS)))
                            if (Files.isDirectory(inner))
                                folders.search(inner, 0);
        return folders.found;
    }

    private void search(Path folder, int depth)
    {
        Found here = new Found(folder);
        here.hasEngineFiles = folder.endsWith(SnapshotFiles.FOLDER);
        Set<Path> folders = new TreeSet<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder))
        {
            if (!visited.add(folder.toRealPath()))
                return;
            for (Path entry : entries)
            {
                String name = entry.getFileName().toString();
                if (name.equals(DATABASE_MARK))
                    return;
                here.hasManifest |= SnapshotFiles.isManifest(name);
                here.hasEngineFiles |= SnapshotFiles.isFile(name);
                if (name.endsWith(SSTABLE_END))
                    here.sstables++;
                if (isSearched(name) && Files.isDirectory(entry))
                    folders.add(entry);
            }
        }
        catch (IOException | DirectoryIteratorException e)
        {
            here.error = "it cannot be looked at: " + e;
        }
        if (here.hasEngineFiles || here.sstables > 0 || here.error != null)
            found.add(here);
        for (Path inner : folders)
            if (depth < DEPTH_MAX && !Files.exists(inner.resolve(DATABASE).resolve(DATABASE_MARK)))
                search(inner, depth + 1);
    }

    /** Other folders whose names begin with a dot are of legacy indexes, which are built again. */
    private static boolean isSearched(String name)
    {
        return !SnapshotFiles.isFile(name) && (!name.startsWith(".") || SnapshotFiles.isFolder(name));
    }

    private List<Path> children(Path parent)
    {
        List<Path> children = new ArrayList<>();
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(parent, Files::isDirectory))
        {
            folders.forEach(children::add);
        }
        catch (IOException | DirectoryIteratorException e)
        {
            Found failed = new Found(parent);
            failed.error = "it cannot be looked at: " + e;
            found.add(failed);
        }
        return children;
    }
}
