/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.tools;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What a restore does with one table of a backup, or why it does nothing. */
final class TableRestore
{
    final String keyspace;
    final String table;
    /** What the node is to load, in this order. */
    final List<String> paths;
    final long files;
    final long bytes;
    /** Why nothing is loaded, and what to do; null if there is no such reason. */
    final String problem;
    /** What an operator should know before. */
    final List<String> notes = new ArrayList<>();
    /** What of the table the restore does not load, and what to do; null if there is no such thing. */
    final String left;

    private TableRestore(BackedUpTable backup, List<String> paths, String problem, String left)
    {
        keyspace = backup.keyspace;
        table = backup.table;
        this.paths = paths;
        files = backup.sum("files");
        bytes = backup.sum("bytes");
        this.problem = problem;
        this.left = left;
    }

    static TableRestore of(BackedUpTable backup, NodeTables node, RestoreOptions options)
    {
        Map<String, String> into = node.named(backup.keyspace, backup.table);
        String problem = problem(backup, into, node, options);
        TableRestore restore = new TableRestore(backup, problem == null ? backup.paths(options.isOneManifest()) : List.of(), problem,
                                                left(backup));
        if (problem == null)
            restore.addNotes(backup, into);
        return restore;
    }

    /** Of a table that is asked for and is not in the backup. */
    static TableRestore missing(String keyspace, String table)
    {
        return new TableRestore(new BackedUpTable(keyspace, table, ""), List.of(), "the backup has nothing of it. A table that was empty " +
                                                                                  "leaves nothing; else look for another backup", null);
    }

    String name()
    {
        return keyspace.isEmpty() ? "an unknown table" : keyspace + '.' + table;
    }

    /** @return why not all of the table is loaded even if what can be is; null if it is */
    String shortfall()
    {
        if (problem == null)
            return left;
        return left == null ? problem : problem + "\n    " + left;
    }

    private static String problem(BackedUpTable backup, Map<String, String> into, NodeTables node, RestoreOptions options)
    {
        if (!backup.failures.isEmpty())
            return String.join("; ", backup.failures);
        if (!backup.hasEngineFiles())
            return "the backup has sstables of it alone";
        String problem = backup.ambiguity();
        if (problem == null && backup.isOfSeveralGenerations())
            problem = "a TRUNCATE, or the loss of a store, lies between the snapshot and increments, which would bring rows back. Move " +
                      "those whose rows are not wanted away, or load without increments";
        return problem == null ? mismatch(backup, into, node, options) : problem;
    }

    private static String mismatch(BackedUpTable backup, Map<String, String> into, NodeTables node, RestoreOptions options)
    {
        String other = node.nameOf(backup.id);
        if (into == null && other != null)
            return "the node's table with the backup's id, " + backup.id + ", is " + other + ". If it is meant, load it by SnapshotLoad";
        if (into == null)
            return "the node has no such table. " + create(backup);
        if (!NodeTables.isEngine(into))
            return "the node's table is not one of the engine. " + create(backup);
        return into.get("table_id").equals(backup.id) ? null : otherId(backup, into, options);
    }

    private static String otherId(BackedUpTable backup, Map<String, String> into, RestoreOptions options)
    {
        String difference = backup.keyDifference();
        if (difference != null)
            return "the node's table has another id and another key: " + difference + ". DROP it, if its rows " +
                   "are not wanted. " + create(backup);
        if (options.isByName)
            return null;
        String when = backup.hasSameKey() ? "Its key is the same: run"
                                          : "Where the key columns, their types and their order are the same" + asIn(backup) + ", run";
        return String.format("the node's table has another id, %s, than the backup's, %s: it was created anew, or this is a backup of " +
                             "another cluster. %s this with --by-name", into.get("table_id"), backup.id, when);
    }

    private static String create(BackedUpTable backup)
    {
        String from = backup.schema() == null ? "" : ", from " + backup.schema();
        return "Create it WITH a memtable of the engine" + from + ", and run this again";
    }

    private static String asIn(BackedUpTable backup)
    {
        return backup.schema() == null ? "" : " as in " + backup.schema();
    }

    private static String left(BackedUpTable backup)
    {
        if (backup.sstables().isEmpty())
            return null;
        StringBuilder left = new StringBuilder("its sstables beside the engine are not loaded: load them by");
        for (Map<String, String> line : backup.sstables())
            left.append("\n        ").append(StockTables.command(backup.keyspace, backup.table, line.get("folder")));
        return left.toString();
    }

    private void addNotes(BackedUpTable backup, Map<String, String> into)
    {
        if (NodeTables.hasRows(into))
            notes.add("the table has rows: the backup's are merged with them by their timestamps. What is loaded already does no harm");
        if (!into.get("table_id").equals(backup.id))
            notes.add("the table has another id" + (backup.hasSameKey() ? ", and the same key"
                                                                        : ": its key columns must be those of the backup" + asIn(backup)));
        if (backup.incrementsLeftOut > 0)
            notes.add(backup.incrementsLeftOut + " increments are left out: --increments loads them");
        if (backup.hasIncrementsAlone())
            notes.add("there are increments without a snapshot: they have all rows only if they began with the table");
    }
}
