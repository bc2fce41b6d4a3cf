/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe.nodetool;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.compaction.OperationType;

import io.cassiterite.index.IndexWatch;
import io.cassiterite.node.EngineControl;
import io.cassiterite.node.EngineTable;
import io.cassiterite.observe.RemoteFailure;
import io.cassiterite.observe.tables.EngineCompaction;

/** What {@code nodetool stop} ends of the engine's work, beside what Cassandra's own ends. Thread-safe. */
final class EngineStops
{
    private static final Logger logger = LoggerFactory.getLogger(EngineStops.class);

    private final EngineControl engine;

    EngineStops(EngineControl engine)
    {
        this.engine = engine;
    }

    /** Cassandra ends builds of indexes itself; they must not begin again by themselves. */
    void beforeStop(String type)
    {
        if (type.equals(OperationType.INDEX_BUILD.name()))
            IndexWatch.holdBuilds(null);
    }

    /** @param type a name of Cassandra's {@link OperationType} */
    void stop(String type)
    {
        if (!engine.isOpen())
            return;
        if (type.equals(OperationType.COMPACTION.name()))
        {
            logger.info("Ending the compactions of the engine: nodetool stop. Those that are due begin again by themselves");
            RemoteFailure.guard("stopping the engine's compactions", engine::stopCompactions);
        }
        else if (type.equals(OperationType.CLEANUP.name()))
            for (ColumnFamilyStore cfs : EngineTable.open())
                RemoteFailure.guard("stopping the cleanup of " + cfs.metadata(), () -> engine.stopCleanup(cfs));
    }

    /** @throws UnsupportedOperationException for a compaction of the engine, which ends them all at once */
    void beforeStopById(String id)
    {
        IndexWatch.holdBuilds(id);
        if (engine.isOpen() && EngineCompaction.all(engine).stream().anyMatch(one -> one.isRunning() && one.id().toString().equals(id)))
            EngineVerbs.fail("the engine ends all its compactions at once: use nodetool stop COMPACTION");
    }
}
