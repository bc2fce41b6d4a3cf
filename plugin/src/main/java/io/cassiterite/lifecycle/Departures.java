/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.lifecycle;

import java.io.IOException;
import java.util.List;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.cassiterite.memtable.CassiteriteMemtable;
import io.cassiterite.memtable.EngineTables;
import io.cassiterite.move.Leaving;
import io.cassiterite.node.Direction;
import io.cassiterite.node.Directions;

/** At the end of a drain or stop, the tables that are to leave the engine do. */
final class Departures
{
    private static final Logger logger = LoggerFactory.getLogger(Departures.class);

    private Departures()
    {
    }

    /** The store is still open, and nothing else uses it. */
    static void leaveAll()
    {
        for (CassiteriteMemtable memtable : List.copyOf(EngineTables.all()))
            if (memtable.cfs() != null && memtable.table() != null && Directions.of(memtable.metadata().id) == Direction.OUT)
                leave(memtable);
    }

    private static void leave(CassiteriteMemtable memtable)
    {
        try
        {
            Leaving.leave(memtable);
            TableEntry.left(memtable.cfs()); // behind the deletion of the rows: without it, rows in the store would be of nobody
            logger.info("{} may be opened without the engine: map its memtable configuration '{}' to a stock class, and start",
                        memtable.metadata(), memtable.metadata().params.memtable.configurationKey());
        }
        catch (IOException | RuntimeException | Error e)
        {
            logger.error("{} has not left the engine, and has lost nothing. Start the node as it was, and drain it again",
                         memtable.metadata(), e);
        }
    }
}
