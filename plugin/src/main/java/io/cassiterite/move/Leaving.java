/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.move;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.Directories;
import org.apache.cassandra.db.Keyspace;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.Clock;
import org.apache.cassandra.utils.FBUtilities;

import io.cassiterite.engine.Table;
import io.cassiterite.memtable.CassiteriteMemtable;
import io.cassiterite.memtable.EngineTables;

/**
 * A table leaves the engine, when the node takes no writes any more: its rows are written to sstables, and deleted in the
 * engine. A crash at any moment leaves each row in one of them or in both.
 */
public final class Leaving
{
    private static final Logger logger = LoggerFactory.getLogger(Leaving.class);

    private static final long WRITES_WAIT_MS = 60_000;
    private static final double ROOM = 1.1;

    private Leaving()
    {
    }

    /**
     * Returns when all rows are in sstables, on the device, and none is in the engine. Writes are refused from the
     * beginning on, also after a failure.
     *
     * @throws IllegalStateException if the table cannot leave at present, with the reason
     */
    public static void leave(CassiteriteMemtable memtable)
    {
        TableMetadata metadata = memtable.cfs().metadata();
        checkIndexes(metadata);
        if (!memtable.statistics().seal())
            throw new IllegalStateException("rows come in by a stream or a load");
        // The front door's writes are in no order of Cassandra's; they have ended when this returns.
        EngineTables.changes(memtable);
        awaitWrites();
        Table table = memtable.table();
        checkRoom(memtable.cfs(), SstableWriting.bytes(table.stats()));
        logger.info("{} leaves the engine: about {} are written to sstables. If the node is killed meanwhile, nothing is lost",
                    metadata, FBUtilities.prettyPrintMemory(SstableWriting.bytes(table.stats())));
        long begun = Clock.Global.nanoTime();
        SstableWriting writing = new SstableWriting(memtable);
        writing.run();
        table.truncate();
        table.retire();
        logger.info("{} has left the engine: {} sstables, {}, {} s", metadata, writing.sstables(),
                    FBUtilities.prettyPrintMemory(writing.bytes()), TimeUnit.NANOSECONDS.toSeconds(Clock.Global.nanoTime() - begun));
    }

    /** @throws IllegalStateException if the table has an index, which a stock memtable would not keep */
    public static void checkIndexes(TableMetadata metadata)
    {
        if (!metadata.indexes.isEmpty())
            throw new IllegalStateException("it has indexes of the engine: " + metadata.indexes + ". Drop them first, and make them"
                                            + " again when all nodes have left");
    }

    private static void checkRoom(ColumnFamilyStore cfs, long bytes)
    {
        long available = Arrays.stream(cfs.getDirectories().getWriteableLocations())
                               .mapToLong(Directories.DataDirectory::getAvailableSpace).sum();
        if (ROOM * bytes > available)
            throw new IllegalStateException("the data directories have no room for about " + FBUtilities.prettyPrintMemory(bytes)
                                            + " of sstables");
    }

    /** Those that had begun before the memtable was sealed. One that hangs must not keep the node from its end. */
    private static void awaitWrites()
    {
        Thread waiting = new Thread(Keyspace.writeOrder::awaitNewBarrier, "cassiterite-last-writes");
        waiting.setDaemon(true);
        waiting.start();
        try
        {
            waiting.join(WRITES_WAIT_MS);
        }
        catch (InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
        if (waiting.isAlive())
            throw new IllegalStateException("a write has not ended within " + WRITES_WAIT_MS + " ms");
    }
}
