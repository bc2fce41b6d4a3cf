/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.apache.cassandra.schema.SchemaConstants;

import io.cassiterite.engine.EngineException;
import io.cassiterite.engine.SnapshotFiles;
import io.cassiterite.engine.SnapshotManifests;
import io.cassiterite.node.StoreReport;

/** Puts together what a backup has, line by line: {@link EngineMBean#reportBackup}. */
final class BackupReport
{
    static final List<String> COLUMNS = List.of("kind", "keyspace_name", "table_name", "table_id", "folder", "snapshot", "manifest",
                                                "is_increment", "generation", "files", "bytes", "is_engine", "has_rows", "key", "error");

    private final List<String> lines = new ArrayList<>(List.of(String.join("\t", COLUMNS)));
    /** Why the node cannot load what lies in a folder, or null. */
    private final Function<Path, String> obstacle;
    private final KeyCheck keyCheck;

    /** Compares the key of the backup's table with that of the node's table of the same name. */
    interface KeyCheck
    {
        /**
         * @param manifest a line of the engine's report
         * @return as {@link KeyComparison#of}; an empty string where there is nothing to compare
         */
        String compare(Path folder, Map<String, String> manifest);
    }

    BackupReport(Function<Path, String> obstacle, KeyCheck keyCheck)
    {
        this.obstacle = obstacle;
        this.keyCheck = keyCheck;
    }

    String text()
    {
        return String.join("\n", lines);
    }

    /** A table of the node. */
    void addTable(String keyspace, String table, String id, boolean isEngine, boolean hasRows)
    {
        add(Map.of("kind", "table", "keyspace_name", keyspace, "table_name", table, "table_id", id, "is_engine", bit(isEngine),
                   "has_rows", bit(hasRows)));
    }

    /** @param source the absolute path of a folder, or of one manifest */
    void addFolder(Path source)
    {
        if (Files.isRegularFile(source) && SnapshotFiles.isManifest(source.getFileName().toString()))
            addManifests(new BackupFolders.Found(source.getParent()), source);
        else if (Files.isDirectory(source))
            BackupFolders.in(source).forEach(this::add);
        else
            throw new IllegalArgumentException("this machine has no folder " + source + " that the node's user may see");
    }

    void addSnapshot(List<Path> dataDirectories, String name)
    {
        BackupFolders.ofSnapshot(dataDirectories, name).forEach(this::add);
    }

    private void add(BackupFolders.Found found)
    {
        String why = obstacle.apply(found.folder);
        if (found.error != null)
            addFailure(found, identity(found), found.error);
        else if (found.hasEngineFiles && why != null)
            addFailure(found, identity(found), why);
        else if (found.hasManifest)
            addManifests(found, found.folder);
        else if (found.hasEngineFiles)
            addFailure(found, identity(found), "it has no manifest: it was not copied whole, or is no snapshot");
        // a live sstable is in no backup
        if (found.sstables > 0 && why == null && !(found.table != null && SchemaConstants.isLocalSystemKeyspace(found.table.keyspace)))
            add(found, identity(found), Map.of("kind", "sstables", "files", Integer.toString(found.sstables)));
    }

    private void addManifests(BackupFolders.Found found, Path at)
    {
        List<Map<String, String>> manifests;
        try
        {
            manifests = StoreReport.parse(SnapshotManifests.report(at.toString())).rows;
        }
        catch (EngineException e)
        {
            addFailure(found, identity(found), e.getMessage());
            return;
        }
        // a manifest that cannot be read is of the table of the others
        Map<String, String> identity = found.table != null ? identity(found)
                                                           : manifests.stream().filter(manifest -> !manifest.get("table_id").isEmpty())
                                                                      .findFirst().orElse(Map.of());
        for (Map<String, String> manifest : manifests)
            if (manifest.get("table_id").isEmpty())
                addFailure(found, identity, manifest.get("error"));
            else if (!isOf(manifest, found))
                addFailure(found, identity, String.format("%s is of %s.%s with the id %s, and the folder is of another table",
                                                          manifest.get("manifest"), manifest.get("keyspace_name"),
                                                          manifest.get("table_name"), manifest.get("table_id")));
            else
                add(found, manifest, Map.of("kind", "manifest", "key", keyCheck.compare(found.folder, manifest)));
    }

    private static boolean isOf(Map<String, String> manifest, BackupFolders.Found found)
    {
        return found.table == null || manifest.get("table_id").equals(found.table.id);
    }

    /** @return what the path tells of the table */
    private static Map<String, String> identity(BackupFolders.Found found)
    {
        return found.table == null ? Map.of() : Map.of("keyspace_name", found.table.keyspace, "table_name", found.table.table,
                                                       "table_id", found.table.id);
    }

    private void addFailure(BackupFolders.Found found, Map<String, String> identity, String error)
    {
        String increments = found.isOfIncrements ? "1" : "0";
        add(found, Map.of("keyspace_name", identity.getOrDefault("keyspace_name", ""),
                          "table_name", identity.getOrDefault("table_name", ""),
                          "table_id", identity.getOrDefault("table_id", "")),
            Map.of("kind", "failure", "is_increment", increments, "error", error));
    }

    private void add(BackupFolders.Found found, Map<String, String> values, Map<String, String> more)
    {
        add(Map.of("folder", found.folder.toString(), "snapshot", found.snapshot, "is_increment", found.isOfIncrements ? "1" : "0"),
            values, more);
    }

    /** Of several values the last counts. */
    @SafeVarargs
    private void add(Map<String, String>... values)
    {
        lines.add(COLUMNS.stream().map(column -> value(column, values)).collect(Collectors.joining("\t")));
    }

    @SafeVarargs
    private static String value(String column, Map<String, String>... values)
    {
        for (int i = values.length - 1; i >= 0; i--)
            if (values[i].containsKey(column))
                return values[i].get(column).replace('\t', ' ').replace('\n', ' ');
        return "";
    }

    private static String bit(boolean value)
    {
        return value ? "1" : "0";
    }
}
