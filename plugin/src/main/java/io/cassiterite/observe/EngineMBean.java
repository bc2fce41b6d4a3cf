/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe;

/**
 * The engine for operators, registered as {@link #OBJECT_NAME}. Operations throw an IllegalStateException
 * or IllegalArgumentException that says what to do; long ones return when they are done.
 */
public interface EngineMBean
{
    String OBJECT_NAME = "io.cassiterite:type=Engine";

    /** "cassiterite/VERSION rocksdb/VERSION" */
    String getVersion();

    String getStoreDirectory();

    /** The error that stopped writes as "KIND message", or an empty string. */
    String getBackgroundError();

    /** Writes a table's data in memory to files. */
    void flush(String keyspace, String table);

    /** Rewrites a table, purging what may be purged. */
    void compact(String keyspace, String table);

    /**
     * Merges a snapshot into a table. Rows that the table already has stay; the newer cell wins.
     *
     * @param directory the absolute path, on this node, of the engine's folder inside the snapshot, or of its manifest
     * @return the number of fragments loaded
     */
    long snapshotLoad(String keyspace, String table, String directory);

    /**
     * What a backup has of tables, and which tables the node has. Changes nothing, and reads manifests and the sizes of files.
     *
     * @param source the name of a snapshot of this node, or the absolute path on this node of a folder that has a backup, or of one
     *               manifest
     * @return lines of tab-separated values, the first names the columns. Their kinds: table (of the node), manifest (of a snapshot
     *         or an increment, which can be read), failure (of a folder or a manifest, with the error), sstables (in a folder).
     *         "key" compares the key of a manifest's table with the node's table of that name and another id: same, unknown, or
     *         the difference
     */
    String reportBackup(String source);

    /**
     * Sets which way the rows of a table move between the engine and sstables, also for later starts.
     *
     * @param direction in: sstables beside the engine move into it; hold: nothing moves; out: rows leave the engine for
     *                  sstables, the next drain or stop writes what is left, and the table may then be opened without the engine
     */
    void move(String keyspace, String table, String direction);

    /** Tables that have sstables beside the engine or are to leave it: lines of tab-separated values, the first names the columns. */
    String getMoves();

    /**
     * Has a table, as it is on this node at one moment soon, written to sstables in a new folder, each row once. Returns at once:
     * {@link #getExports} tells how it goes on.
     *
     * @param directory the absolute path, on this node, of a folder that is not there, or is empty
     */
    void export(String keyspace, String table, String directory);

    /** The latest exports since the start: lines of tab-separated values, the first names the columns. */
    String getExports();

    /** Changes a live parameter until the node's next start; others are refused. docs/settings.md lists them. */
    void set(String parameter, String value);

    /** Asks the engine to accept writes again after a background error whose cause is gone. */
    void resume();

    /**
     * @param topic tables, levels, stalls, caches, settings, work or compactions
     * @return lines of tab-separated values, the first line names the columns
     */
    String report(String topic);
}
