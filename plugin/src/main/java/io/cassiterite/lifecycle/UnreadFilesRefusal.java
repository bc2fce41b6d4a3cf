/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.lifecycle;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.cassiterite.engine.SnapshotFiles;
import io.cassiterite.node.UnreadFiles;

/** Tells an operator how to load {@link UnreadFiles}: commands for a shell, each on a line of its own. */
final class UnreadFilesRefusal
{
    private static final int TABLES_NAMED = 5;

    private final UnreadFiles files;
    private final String why;
    private final String loadCommand;
    private final boolean isInSchema;
    /** A snapshot of the table: on the same device, of the same owner, and nodetool lists and clears it. */
    private final Path snapshot;
    private final StringBuilder moves = new StringBuilder();
    private final StringBuilder loads = new StringBuilder();

    private UnreadFilesRefusal(UnreadFiles files, StartFacts facts, String why)
    {
        this.files = files;
        this.why = why;
        loadCommand = facts.loadCommand;
        isInSchema = facts.tables.stream().anyMatch(table -> table.name.equals(files.keyspace() + '.' + files.table()));
        snapshot = files.folder.resolve("snapshots").resolve("restored-" + facts.inspectedMillis);
    }

    /** @param why the start does not take them in; null where the rest says enough */
    static String of(UnreadFiles files, StartFacts facts, String why)
    {
        return new UnreadFilesRefusal(files, facts, why).text();
    }

    /** @param refused why the start does not take the files in, or null; the commands are for the first of them */
    static List<String> of(Map<UnreadFiles, String> refused, StartFacts facts)
    {
        List<String> refusals = refused.entrySet().stream().limit(TABLES_NAMED)
                                       .map(one -> of(one.getKey(), facts, one.getValue())).collect(Collectors.toList());
        if (refused.size() > TABLES_NAMED)
            refusals.add(String.format("the folders of %d more tables have such files, too. Do the same for each of them: %s",
                                       refused.size() - TABLES_NAMED,
                                       refused.keySet().stream().skip(TABLES_NAMED).map(files -> files.folder.toString())
                                              .collect(Collectors.joining(" "))));
        return refusals;
    }

    private String text()
    {
        int number = 0;
        for (UnreadFiles.Place place : files.places)
            move(place, snapshot.resolve(++number == 1 ? SnapshotFiles.FOLDER : SnapshotFiles.FOLDER + '-' + number));
        return String.format("the folder %s %s has files of a snapshot of the engine, which nothing reads there. A restore or a copy " +
                             "has put them there, and without their rows the table may lack what was backed up.%s Before the start, move " +
                             "them into a snapshot, as the user that runs Cassandra:%s%n%s" +
                             "%n\"Files that a restore has put beside the tables\" in docs/operating/backup.md has more.",
                             files.folder, owner(), reason(), moves, loads.length() == 0 ? withoutManifest() : withManifest());
    }

    private String owner()
    {
        if (!files.isOfTable())
            return "(which is no folder of a table)";
        String table = files.keyspace() + '.' + files.table();
        return isInSchema ? "of table " + table : "(of no table of the schema: this node's has no " + table + ')';
    }

    private String reason()
    {
        return why == null ? "" : " The start does not take them in: " + why + '.';
    }

    private static String withoutManifest()
    {
        return "They have no manifest, so they cannot be loaded: restore them whole, elsewhere.";
    }

    private String withManifest()
    {
        String first = isInSchema ? "" : " and has the table, with the columns of the backup's schema.cql";
        return "When the node has started" + first + ", load them. Where JMX asks for a password, put -u USER -pwf FILE before the host:" +
               loads;
    }

    private void move(UnreadFiles.Place place, Path target)
    {
        // no more than these files: also a folder that is a place may have others in it
        moves.append(line("mkdir -p " + quoted(target)))
             .append(line("find " + quoted(place.folder) + " -maxdepth 1 -type f \\( -name '*.sst' -o -name '*cassiterite.manifest' \\) " +
                          "-exec mv -n -t " + quoted(target) + " {} +"));
        List<String> manifests = place.manifests;
        for (String manifest : manifests)
            loads.append(line(loadCommand + ' ' + (files.isOfTable() ? files.keyspace() + ' ' + files.table() : "KEYSPACE TABLE") + ' ' +
                              quoted(manifests.size() == 1 ? target : target.resolve(manifest))));
    }

    private static String line(String command)
    {
        return "\n    " + command;
    }

    static String quoted(Path path)
    {
        return '\'' + path.toString().replace("'", "'\\''") + '\'';
    }
}
