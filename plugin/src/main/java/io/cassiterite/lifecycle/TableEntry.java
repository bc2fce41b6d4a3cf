/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.lifecycle;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.Directories;
import org.apache.cassandra.io.util.File;
import org.apache.cassandra.schema.TableMetadata;

import io.cassiterite.engine.Store;
import io.cassiterite.node.Direction;
import io.cassiterite.node.Directions;
import io.cassiterite.node.PluginGossip;
import io.cassiterite.node.StartRefusal;
import io.cassiterite.node.StoreIdentity;

/**
 * A table of the schema is opened in the engine for the first time since the start. One without a marker comes from
 * sstables alone: the marker is written before its first row, or a start without the engine could lack that row and say
 * nothing. Thread-safe.
 */
final class TableEntry
{
    private static final Logger logger = LoggerFactory.getLogger(TableEntry.class);

    /** Of tables, as {@code keyspace.table}, separated by commas: the store's rows are theirs, too. */
    static final String UNITE = "cassiterite.unite";
    /** Of tables: the store's rows are not theirs. */
    static final String SET_ASIDE = "cassiterite.set_aside";

    private TableEntry()
    {
    }

    /** As {@link io.cassiterite.node.PluginLife#keepsRows}. */
    static boolean keepsRows(ColumnFamilyStore cfs, boolean hasRows)
    {
        TableMetadata table = cfs.metadata();
        if (!hasRows || markedFolder(cfs) != null)
            return true;
        if (isUnited(table.toString()))
        {
            logger.warn("{}: the rows of the store and those of the folder are united, by -D{}", table, UNITE);
            return true;
        }
        if (isSetAside(table.toString()))
            return false;
        throw StartRefusal.of(String.format("the store has rows of %1$s, but its folder %2$s has no %3$s: the folder is not the one"
                                            + " that belongs to the store. A restore or a new disk has replaced it. If all rows are"
                                            + " wanted, start with -D%4$s=%1$s. If only those of the folder are, start with"
                                            + " -D%5$s=%1$s, which keeps the store's in a snapshot.",
                                            table, folder(cfs), TableMarker.FILE_NAME, UNITE, SET_ASIDE), null);
    }

    /** @param table keyspace.table, whose folder has no marker */
    static boolean isSetAside(String table)
    {
        return names(SET_ASIDE).contains(table);
    }

    /** @param table keyspace.table, whose folder has no marker */
    static boolean isUnited(String table)
    {
        return names(UNITE).contains(table);
    }

    /** As {@link io.cassiterite.node.PluginLife#opened}. */
    static boolean opened(ColumnFamilyStore cfs, Store store)
    {
        try
        {
            TableMarker marker = marker(cfs);
            Direction direction = marker == null ? Direction.HOLD : marker.direction;
            if (direction == Direction.HOLD && !hasSstables(cfs))
                direction = Direction.IN;
            if (marker == null || marker.direction != direction || !isMarkedEverywhere(cfs))
                write(cfs, store, direction);
            set(cfs, direction);
            return marker != null;
        }
        catch (IOException e)
        {
            throw unreadable(cfs, e);
        }
    }

    private static RuntimeException unreadable(ColumnFamilyStore cfs, IOException cause)
    {
        return StartRefusal.of(String.format("%s of %s cannot be read or written, by which a start without the engine would be noticed:"
                                             + " %s", TableMarker.FILE_NAME, cfs.metadata(), cause), cause);
    }

    /** Durable when it returns. */
    static synchronized void direct(ColumnFamilyStore cfs, Store store, Direction direction) throws IOException
    {
        write(cfs, store, direction);
        set(cfs, direction);
    }

    /** The table may be opened without the engine. Durable. */
    static synchronized void left(ColumnFamilyStore cfs) throws IOException
    {
        for (File folder : cfs.getDirectories().getCFDirectories())
            TableMarker.remove(folder.toPath());
    }

    /** No peer relies on the engine for a table that is about to leave it. */
    private static void set(ColumnFamilyStore cfs, Direction direction)
    {
        Directions.set(cfs.metadata.id, direction);
        PluginGossip.setLeaving(cfs.metadata.id, direction == Direction.OUT ? cfs.metadata().params.memtable.configurationKey() : null);
    }

    /** Marks an open table unless it is marked already. */
    static synchronized void mark(ColumnFamilyStore cfs, Store store, String storeId) throws IOException
    {
        TableMarker marker = marker(cfs);
        if (marker == null || !isMarkedEverywhere(cfs) || !marker.isOf(cfs.metadata.id.toString(), storeId))
            write(cfs, store, Directions.of(cfs.metadata.id));
    }

    /** A device that is lost takes one of the folders with it. */
    private static void write(ColumnFamilyStore cfs, Store store, Direction direction) throws IOException
    {
        Path directory = Path.of(store.directory()).toAbsolutePath().normalize();
        TableMarker marker = new TableMarker(cfs.metadata.id.toString(), cfs.metadata().toString(), directory.toString(),
                                             StoreIdentity.readOrCreate(directory), Store.version(), direction);
        for (File folder : cfs.getDirectories().getCFDirectories())
            marker.write(folder.toPath());
    }

    private static boolean isMarkedEverywhere(ColumnFamilyStore cfs)
    {
        return cfs.getDirectories().getCFDirectories().stream().allMatch(folder -> TableMarker.exists(folder.toPath()));
    }

    private static boolean hasSstables(ColumnFamilyStore cfs)
    {
        return !cfs.getDirectories().sstableLister(Directories.OnTxnErr.IGNORE).skipTemporary(true).list().isEmpty();
    }

    private static TableMarker marker(ColumnFamilyStore cfs) throws IOException
    {
        Path folder = markedFolder(cfs);
        return folder == null ? null : TableMarker.read(folder);
    }

    private static Path markedFolder(ColumnFamilyStore cfs)
    {
        for (File folder : cfs.getDirectories().getCFDirectories())
            if (TableMarker.exists(folder.toPath()))
                return folder.toPath();
        return null;
    }

    private static Path folder(ColumnFamilyStore cfs)
    {
        return cfs.getDirectories().getCFDirectories().get(0).toPath();
    }

    private static Set<String> names(String property)
    {
        return new HashSet<>(Arrays.asList(System.getProperty(property, "").split("\\s*,\\s*")));
    }
}
