/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.tools;

import java.util.LinkedHashSet;
import java.util.Set;

import io.cassiterite.engine.SnapshotFiles;
import io.cassiterite.observe.SnapshotFolder;

/** What an operator asks a restore for. Immutable once parsed. */
final class RestoreOptions
{
    static final String USAGE =
        "usage: Restore " + NodeConnection.OPTIONS + " HOST PORT TAG|FOLDER [--keyspace KEYSPACE [--table TABLE]...]\n" +
        "               [--snapshot TAG] [--increments|--no-increments] [--by-name] [--run]\n" +
        NodeConnection.OPTIONS_HELP +
        "  TAG         a snapshot of the node\n" +
        "  FOLDER      a backup: an absolute path on the node of a data folder, of what a backup program has brought, or of one\n" +
        "              manifest; with the increments in it\n" +
        "  --keyspace  --table          these tables alone\n" +
        "  --snapshot TAG               of a folder with several snapshots: this one\n" +
        "  --increments                 with TAG: the node's incremental backups, too\n" +
        "  --no-increments              with FOLDER: snapshots alone\n" +
        "  --by-name                    also into tables of another id, by keyspace and name: the key columns must be the same\n" +
        "  --run                        loads; without it, what would be loaded is listed";

    private static final int SOURCE = 2;

    final String source;
    final boolean isRun;
    final boolean isByName;
    final boolean withIncrements;
    /** Null for any. */
    final String keyspace;
    /** Empty for all. */
    final Set<String> tables;
    /** Null for any. */
    final String snapshot;

    private RestoreOptions(Words words)
    {
        source = words.source;
        isRun = words.isRun;
        isByName = words.isByName;
        withIncrements = words.increments == null ? isFolder() : words.increments;
        keyspace = words.keyspace;
        tables = words.tables;
        snapshot = words.snapshot;
    }

    /**
     * @param arguments host, port, and what follows
     * @throws IllegalArgumentException that says what is wrong with them
     */
    static RestoreOptions parse(String[] arguments)
    {
        Words words = new Words(arguments);
        words.parse();
        return new RestoreOptions(words);
    }

    boolean isFolder()
    {
        return source.contains("/");
    }

    boolean isOneManifest()
    {
        return SnapshotFiles.isManifest(source);
    }

    /** @param keyspaceName and tableName empty where they are not known */
    boolean isWanted(String keyspaceName, String tableName)
    {
        boolean isOfKeyspace = keyspace == null || keyspace.equals(keyspaceName);
        return keyspaceName.isEmpty() || isOfKeyspace && (tables.isEmpty() || tables.contains(tableName));
    }

    /** @param name empty for what is in no snapshot of a name */
    boolean isWantedSnapshot(String name)
    {
        return snapshot == null || name.isEmpty() || snapshot.equals(name);
    }

    private static final class Words
    {
        private final String[] words;
        private int at = SOURCE;
        private String source;
        private boolean isRun;
        private boolean isByName;
        private Boolean increments;
        private String keyspace;
        private final Set<String> tables = new LinkedHashSet<>();
        private String snapshot;

        private Words(String[] words)
        {
            this.words = words;
        }

        private void parse()
        {
            while (at < words.length)
                parse(words[at++]);
            if (source == null)
                throw new IllegalArgumentException("name a snapshot of the node, or a folder");
            String why = source.contains("/") ? SnapshotFolder.whyNotFound(source) : null;
            if (why != null)
                throw new IllegalArgumentException(why);
            if (!tables.isEmpty() && keyspace == null)
                throw new IllegalArgumentException("--table needs --keyspace");
            if (snapshot != null && !source.contains("/"))
                throw new IllegalArgumentException("--snapshot chooses in a folder; " + source + " names a snapshot already");
        }

        private void parse(String word)
        {
            switch (word)
            {
                case "--run":
                    isRun = true;
                    break;
                case "--by-name":
                    isByName = true;
                    break;
                case "--increments":
                case "--no-increments":
                    increments = word.equals("--increments");
                    break;
                case "--keyspace":
                    keyspace = once(word, keyspace);
                    break;
                case "--snapshot":
                    snapshot = once(word, snapshot);
                    break;
                case "--table":
                    tables.add(once(word, null));
                    break;
                default:
                    if (word.startsWith("-"))
                        throw new IllegalArgumentException("there is no option " + word);
                    if (source != null)
                        throw new IllegalArgumentException("either " + source + " or " + word + ", not both");
                    source = word;
            }
        }

        private String once(String option, String before)
        {
            if (before != null)
                throw new IllegalArgumentException(option + " is given twice");
            if (at == words.length || words[at].startsWith("--"))
                throw new IllegalArgumentException(option + " needs a value");
            return words[at++];
        }
    }
}
