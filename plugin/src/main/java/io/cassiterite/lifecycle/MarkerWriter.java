/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.lifecycle;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.Directories;
import org.apache.cassandra.io.util.File;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.schema.TableMetadata;

import io.cassiterite.engine.Store;
import io.cassiterite.node.Direction;
import io.cassiterite.node.Directions;
import io.cassiterite.node.EngineControl;
import io.cassiterite.node.NodeStore;
import io.cassiterite.node.StoreIdentity;

/** Writes the {@link TableMarker}s of engine tables that are open. Thread-safe. */
final class MarkerWriter
{
    private static final Logger logger = LoggerFactory.getLogger(MarkerWriter.class);

    private final EngineControl engine;
    private final Set<TableId> marked = ConcurrentHashMap.newKeySet();
    private volatile String storeId;

    MarkerWriter(EngineControl engine)
    {
        this.engine = engine;
    }

    /** Marks the table unless it is marked already; a failure is reported and left to the next call. */
    void mark(ColumnFamilyStore cfs)
    {
        if (marked.contains(cfs.metadata.id) || !engine.isOpen())
            return;
        try
        {
            Store store = NodeStore.getIfOpen();
            if (storeId == null)
                storeId = StoreIdentity.readOrCreate(Path.of(store.directory()));
            TableEntry.mark(cfs, store, storeId);
            marked.add(cfs.metadata.id);
        }
        catch (IOException e)
        {
            logger.error("Cannot write {} of {}. Until this succeeds, a later start without the engine would not be noticed.",
                         TableMarker.FILE_NAME, cfs.metadata(), e);
        }
    }

    void forget(TableId table)
    {
        marked.remove(table);
        Directions.set(table, Direction.IN);
    }

    /** Removes the marker of a table that was dropped from the folder that a stock table of the same id has now. */
    static void remove(TableMetadata table)
    {
        for (File directory : new Directories(table).getCFDirectories())
        {
            try
            {
                TableMarker.remove(directory.toPath());
            }
            catch (IOException e)
            {
                logger.error("{} of a dropped table is still in {}: the node will refuse to start, until it is deleted",
                             TableMarker.FILE_NAME, directory, e);
            }
        }
    }
}
