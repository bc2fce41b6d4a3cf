/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.node;

import java.util.Collection;
import java.util.Map;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.io.util.File;
import org.apache.cassandra.schema.TableMetadata;

import io.cassiterite.engine.TableFiles;
import io.cassiterite.engine.TableStats;
import io.cassiterite.engine.Verified;

/**
 * The engine as the parts of the plug-in see it that serve operators and background work. Every method may be called from any
 * thread and throws an unchecked exception if the engine fails or is closed.
 */
public interface EngineControl
{
    /** @return false before the store is opened and after it is closed */
    boolean isOpen();

    /** @return "cassiterite/VERSION rocksdb/VERSION" */
    String version();

    /** @return the engine's memory limits, for people */
    String memoryBudget();

    /** @return the directory of the node's store */
    File storeDirectory();

    /** @return the parameters of the memtable configuration */
    Map<String, String> options();

    /** @return lines of tab-separated values, the first line names the columns */
    String report(String topic);

    /** @return the background error that stopped writes as "KIND\tmessage", or null */
    String backgroundError();

    /** Asks the engine to accept writes again after a background error. */
    void resume();

    /** Ends every compaction that runs or waits; automatic ones begin again when there is a thread for them. */
    void stopCompactions();

    /** Applies live settings. */
    void set(Map<String, String> options);

    /** @return the table's statistics, or null if the table is not in the engine */
    TableStats stats(TableMetadata table);

    /** @return figures of the table's files, or null if the table is not in the engine; the engine looks at each file */
    TableFiles files(TableMetadata table);

    /**
     * Reads all files of the table; returns when it is done.
     *
     * @param ranges that entries must lie in, where they are decoded; none for any
     * @throws io.cassiterite.engine.EngineException of kind CORRUPTION names the files that are damaged
     */
    Verified verify(ColumnFamilyStore cfs, Verified.Depth depth, Collection<Range<Token>> ranges);

    /** Ends a {@link #verify} of the table that runs, with an exception of kind BUSY; does nothing where none runs. */
    void stopVerification(ColumnFamilyStore cfs);

    /** @return bytes of files that every {@link #verify} of the table has read, and of how many; null if it is not in the engine */
    long[] verifiedBytes(ColumnFamilyStore cfs);

    void flush(ColumnFamilyStore cfs);

    /** Rewrites the whole table to the bottommost level; returns when it is done. */
    void compact(ColumnFamilyStore cfs);

    /**
     * Has the table compacted in the background, or not.
     *
     * @return files that have gathered, of which each read looks into all
     */
    long compactAutomatically(ColumnFamilyStore cfs, boolean isOn);

    /** Brings {@link #compactAutomatically} up to what Cassandra has for the table. */
    void followCompactionSwitch(ColumnFamilyStore cfs);

    /** Removes everything outside the ranges from the table, also from its files; returns when it is done. */
    void cleanup(ColumnFamilyStore cfs, Collection<Range<Token>> ranges);

    /** Ends a {@link #cleanup} of the table that runs, with an exception; does nothing where none runs. */
    void stopCleanup(ColumnFamilyStore cfs);

    /** Takes a snapshot of the table under this name, as {@code nodetool snapshot} does. */
    void snapshot(ColumnFamilyStore cfs, String name);

    /** Merges a snapshot directory into the table. @return the number of fragments loaded */
    long load(ColumnFamilyStore cfs, String directory);

    /**
     * Sets which way the rows of the table move; durable when it returns.
     *
     * @throws IllegalStateException if the table cannot go that way, with the reason
     */
    void direct(ColumnFamilyStore cfs, Direction direction);

    /**
     * Has the table, as it is at one moment soon, written to sstables in a new folder, in the background.
     *
     * @param directory the absolute path of a folder on the node's machine that is not there, or is empty
     * @throws IllegalArgumentException if it cannot be written, with the reason
     * @throws IllegalStateException    if the table is being exported
     */
    void export(ColumnFamilyStore cfs, String directory);

    /** Updates what compaction may purge from the table, which depends on Cassandra's clock. */
    void catchUp(ColumnFamilyStore cfs);
}
