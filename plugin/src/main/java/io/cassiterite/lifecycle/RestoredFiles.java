/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.lifecycle;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.cassiterite.engine.SnapshotFiles;
import io.cassiterite.node.UnreadFiles;

/**
 * Which of the {@link UnreadFiles} the start takes in: a snapshot of one engine table of the schema, where a backup program puts
 * it back, and nothing beside it.
 */
final class RestoredFiles
{
    /** Those that it takes in, by the ids of their tables. */
    final Map<String, UnreadFiles> wanted = new LinkedHashMap<>();
    /** The others with the reason, which is null where it is not the files'. */
    final Map<UnreadFiles, String> refused = new LinkedHashMap<>();

    private final StartFacts facts;

    private RestoredFiles(StartFacts facts)
    {
        this.facts = facts;
    }

    static RestoredFiles of(StartFacts facts)
    {
        RestoredFiles files = new RestoredFiles(facts);
        facts.unreadFiles.forEach(files::add);
        return files;
    }

    private void add(UnreadFiles files)
    {
        StartFacts.SchemaTable table = table(files);
        String why = table == null ? null : why(files, table);
        if (table == null || why != null)
            refused.put(files, why);
        else
            wanted.put(table.id, files);
    }

    /** @return null if the schema has no table of this name */
    private StartFacts.SchemaTable table(UnreadFiles files)
    {
        String name = files.keyspace() + '.' + files.table();
        return files.isOfTable() ? facts.tables.stream().filter(table -> table.name.equals(name)).findFirst().orElse(null) : null;
    }

    /** @return null if they can be taken in */
    private String why(UnreadFiles files, StartFacts.SchemaTable table)
    {
        if (!table.id.equals(files.tableId()))
            return "the folder is of another table of this name, the schema has the id " + table.id;
        if (!facts.isEngine(table.memtable))
            return "the table's memtable is not Cassiterite's";
        List<UnreadFiles> all = facts.unreadFiles.stream().filter(other -> table.id.equals(other.tableId())).collect(Collectors.toList());
        if (all.size() > 1)
            return "several data directories have files for the table, and it takes in one snapshot";
        if (files.places.size() > 1)
            return "they are in several folders, and it takes in one snapshot";
        UnreadFiles.Place place = files.places.get(0);
        if (!place.folder.equals(files.folder.resolve(SnapshotFiles.FOLDER)))
            return "they are not in a folder " + SnapshotFiles.FOLDER + " of the table";
        if (place.manifests.isEmpty())
            return "the folder has no manifest";
        return place.manifests.stream().allMatch(SnapshotFiles::isManifestByContent) ? null : "a manifest's name is of an older version";
    }
}
