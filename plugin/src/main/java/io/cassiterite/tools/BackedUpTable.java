/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.tools;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import io.cassiterite.engine.SnapshotFiles;

/** What a backup has of one table: its lines of the node's report, as far as they are asked for. */
final class BackedUpTable
{
    private static final String SAME_KEY = "same";
    private static final String UNKNOWN_KEY = "unknown";

    final String keyspace;
    final String table;
    /** Empty where nothing tells it. */
    final String id;
    /** Of increments that are to stay away. */
    int incrementsLeftOut;
    /** Why not all of it can be loaded. */
    final List<String> failures = new ArrayList<>();
    private final List<Map<String, String>> snapshots = new ArrayList<>();
    private final List<Map<String, String>> increments = new ArrayList<>();
    private final List<Map<String, String>> sstables = new ArrayList<>();

    BackedUpTable(String keyspace, String table, String id)
    {
        this.keyspace = keyspace;
        this.table = table;
        this.id = id;
    }

    void add(Map<String, String> line, boolean withIncrements)
    {
        boolean isIncrement = line.get("is_increment").equals("1");
        if (isIncrement && !withIncrements)
            incrementsLeftOut++;
        else if (line.get("kind").equals("failure"))
            failures.add(line.get("folder") + ": " + line.get("error"));
        else if (line.get("kind").equals("sstables"))
            sstables.add(line);
        else
            (isIncrement ? increments : snapshots).add(line);
    }

    boolean hasEngineFiles()
    {
        return !snapshots.isEmpty() || !increments.isEmpty() || !failures.isEmpty();
    }

    boolean hasIncrementsAlone()
    {
        return snapshots.isEmpty() && !increments.isEmpty();
    }

    List<Map<String, String>> sstables()
    {
        return sstables;
    }

    /** @return why one of several snapshots must be chosen, or null. Of several in one folder the node's report tells. */
    String ambiguity()
    {
        Set<String> places = snapshots.stream().map(BackedUpTable::place).collect(Collectors.toCollection(TreeSet::new));
        Set<String> names = snapshots.stream().map(line -> line.get("snapshot")).collect(Collectors.toCollection(TreeSet::new));
        if (places.size() < 2)
            return null;
        return "the folder has " + places.size() + " snapshots of it, in " + String.join(", ", places) + ". " +
               (names.size() == places.size() && !names.contains("") ? "Choose one: --snapshot " + String.join("|", names)
                                                                     : "Name the folder of one");
    }

    /** @return where the folders of a snapshot are: those of several generations lie side by side */
    private static String place(Map<String, String> line)
    {
        Path folder = Path.of(line.get("folder"));
        String name = folder.getFileName().toString();
        return name.startsWith(".") && SnapshotFiles.isFolder(name) ? folder.getParent().toString() : folder.toString();
    }

    /** @return whether a TRUNCATE, or the loss of a store, lies between what would be loaded together */
    boolean isOfSeveralGenerations()
    {
        return !increments.isEmpty() && all().stream().map(line -> line.get("generation")).distinct().count() > 1;
    }

    /**
     * @param isOneManifest whether the backup is one manifest
     * @return what to load, a snapshot before its increments: folders with all that is in them, or manifests
     */
    List<String> paths(boolean isOneManifest)
    {
        Set<String> paths = new LinkedHashSet<>();
        for (Map<String, String> line : all())
            paths.add(isOneManifest || incrementsLeftOut > 0 ? line.get("folder") + '/' + line.get("manifest") : line.get("folder"));
        return List.copyOf(paths);
    }

    private List<Map<String, String>> all()
    {
        List<Map<String, String>> all = new ArrayList<>(snapshots);
        all.addAll(increments);
        return all;
    }

    long sum(String column)
    {
        return all().stream().mapToLong(line -> Long.parseLong(line.get(column))).sum();
    }

    /** @return how the key differs from that of the node's table; null if it does not, or nothing tells */
    String keyDifference()
    {
        return all().stream().map(line -> line.get("key")).filter(key -> !List.of("", SAME_KEY, UNKNOWN_KEY).contains(key)).findFirst()
                    .orElse(null);
    }

    /** @return whether a snapshot of it tells that the key is the same as that of the node's table */
    boolean hasSameKey()
    {
        return keyDifference() == null && all().stream().anyMatch(line -> line.get("key").equals(SAME_KEY));
    }

    /** @return where schema.cql of the snapshot is, if it was copied along; null where there is no snapshot */
    String schema()
    {
        return snapshots.isEmpty() ? null : Path.of(snapshots.get(0).get("folder")).resolveSibling("schema.cql").toString();
    }
}
