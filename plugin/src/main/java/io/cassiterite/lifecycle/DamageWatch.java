/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.lifecycle;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.io.sstable.CorruptSSTableException;

import io.cassiterite.node.EngineControl;
import io.cassiterite.node.StoreReport;

/**
 * Tells of tables of which a compaction has met a damaged file, and asks Cassandra's disk failure policy, once each. The
 * engine compacts such a table no more, and serves what it can. Used by one thread.
 */
final class DamageWatch
{
    private static final Logger logger = LoggerFactory.getLogger(DamageWatch.class);

    private final EngineControl engine;
    private final Consumer<Throwable> policy;
    private Set<List<String>> known = Set.of();

    /** @param policy what decides about the node, given a CorruptSSTableException */
    DamageWatch(EngineControl engine, Consumer<Throwable> policy)
    {
        this.engine = engine;
        this.policy = policy;
    }

    /**
     * Checks the engine once.
     *
     * @return whether there is a damaged file
     */
    boolean check()
    {
        Set<List<String>> present = new HashSet<>();
        for (Map<String, String> damaged : StoreReport.parse(engine.report("damage")).rows)
        {
            List<String> table = List.of(damaged.get("keyspace_name"), damaged.get("table_name"), damaged.get("index_name"));
            present.add(table);
            if (!known.contains(table))
                report(table, damaged.get("error"));
        }
        known = present;
        return !known.isEmpty();
    }

    private void report(List<String> table, String error)
    {
        String index = table.get(2).isEmpty() ? "" : ", index " + table.get(2);
        logger.error("A compaction of {}.{}{} has met a damaged file: {}. Its automatic compaction is off until the node " +
                     "restarts or a compaction of the table succeeds. Reads that need the damaged block fail; writes go on. " +
                     "nodetool verify -f names all damaged files. Replace the node, or restore the table from a snapshot.",
                     table.get(0), table.get(1), index, error);
        policy.accept(new CorruptSSTableException(new IOException(error), engine.storeDirectory()));
    }
}
