/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe.tables;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import org.apache.cassandra.db.SystemKeyspace;
import org.apache.cassandra.db.compaction.OperationType;

import io.cassiterite.node.EngineControl;

/**
 * Writes the engine's compactions into Cassandra's own table of those that have ended, which nodetool compactionhistory
 * shows. Compactions of the last second before a stop may be missing. For one thread.
 */
public final class CompactionHistory
{
    private final EngineControl engine;
    private final Consumer<EngineCompaction> history;
    /** 0 before the first. */
    private long lastWritten;

    public CompactionHistory(EngineControl engine)
    {
        this(engine, CompactionHistory::write);
    }

    CompactionHistory(EngineControl engine, Consumer<EngineCompaction> history)
    {
        this.engine = engine;
        this.history = history;
    }

    /** Writes those that have ended since the last call, in the order of their ends: the engine remembers 200. */
    public void update()
    {
        List<EngineCompaction> ended = EngineCompaction.all(engine).stream().filter(one -> !one.isRunning()).collect(Collectors.toList());
        int next = 0;
        for (int i = 0; i < ended.size(); i++)
            if (ended.get(i).number == lastWritten)
                next = i + 1;
        for (EngineCompaction compaction : ended.subList(next, ended.size()))
        {
            history.accept(compaction);
            lastWritten = compaction.number;
        }
    }

    /** Of how many files a row was merged nobody knows. */
    private static void write(EngineCompaction compaction)
    {
        SystemKeyspace.updateCompactionHistory(compaction.id(), compaction.keyspace, compaction.table, compaction.endedMs,
                                               compaction.inputBytes, compaction.outputBytes, Map.of(),
                                               Map.of("compaction_type", OperationType.COMPACTION.type,
                                                      "engine", "cassiterite",
                                                      "output_level", Integer.toString(compaction.outputLevel)));
    }
}
