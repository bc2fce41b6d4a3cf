/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

import com.google.common.collect.Iterables;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.lifecycle.View;
import org.apache.cassandra.db.memtable.Memtable;
import org.apache.cassandra.locator.AbstractReplicationStrategy;
import org.apache.cassandra.locator.NetworkTopologyStrategy;
import org.apache.cassandra.locator.SimpleStrategy;
import org.apache.cassandra.metrics.Sampler;
import org.apache.cassandra.schema.KeyspaceMetadata;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.service.reads.AlwaysSpeculativeRetryPolicy;

import io.cassiterite.memtable.EngineTables;
import io.cassiterite.node.EngineTable;

/** Why the front door answers no request for a table at present. Each reason can be asked for in no time. */
public enum TableGate
{
    DROPPED("the table has been dropped", facts -> !facts.cfs.isValid()),
    NO_ENGINE_TABLE("the table's memtable is not the engine's", facts -> !EngineTable.is(facts.metadata)),
    MEMTABLES("the table has another memtable than the engine's: it is truncated, dropped or altered", TableGate::hasOtherMemtables),
    SSTABLES("the table has sstables beside the engine", facts -> !facts.view.liveSSTables().isEmpty()),
    INDEX("the table has an index", facts -> !facts.metadata.indexes.isEmpty()),
    VIEW("the table is a materialized view, or has one",
         facts -> facts.metadata.isView() || !Iterables.isEmpty(facts.keyspace.views.forTable(facts.metadata.id))),
    TRIGGER("the table has a trigger", facts -> !facts.metadata.triggers.isEmpty()),
    MASK("a column of the table is masked", facts -> facts.metadata.hasMaskedColumns()),
    COMPACT_STORAGE("the table has COMPACT STORAGE", facts -> facts.metadata.isCompactTable()),
    SPECULATIVE_RETRY("speculative_retry is ALWAYS: each read asks two replicas",
                      facts -> facts.metadata.params.speculativeRetry.equals(AlwaysSpeculativeRetryPolicy.INSTANCE)),
    REPLICATION("the keyspace has neither SimpleStrategy nor NetworkTopologyStrategy", facts -> !isKnown(facts.strategy)),
    TRANSIENT_REPLICAS("the keyspace has transient replicas", facts -> facts.strategy.hasTransientReplicas()),
    SAMPLER("nodetool samples the table's requests",
            facts -> facts.cfs.metric.samplers.values().stream().anyMatch(Sampler::isActive)),
    RANGES("the ranges of which the node is a replica are being computed", facts -> facts.ranges == null);

    private final String reason;
    private final Predicate<Facts> closed;

    TableGate(String reason, Predicate<Facts> closed)
    {
        this.reason = reason;
        this.closed = closed;
    }

    /** @return for people */
    public String reason()
    {
        return reason;
    }

    boolean isClosed(Facts facts)
    {
        return closed.test(facts);
    }

    /** @param facts null if Cassandra does not have the table */
    static Set<TableGate> closed(Facts facts)
    {
        if (facts == null)
            return Set.of(DROPPED);
        Set<TableGate> closed = EnumSet.noneOf(TableGate.class);
        for (TableGate gate : values())
            if (gate.isClosed(facts))
                closed.add(gate);
        return Collections.unmodifiableSet(closed);
    }

    /** The latest memtable that the engine made is known before Cassandra uses it. */
    private static boolean hasOtherMemtables(Facts facts)
    {
        List<Memtable> live = facts.view.liveMemtables;
        return live.size() != 1 || !facts.view.flushingMemtables.isEmpty() || live.get(0) != EngineTables.find(facts.metadata.id);
    }

    private static boolean isKnown(AbstractReplicationStrategy strategy)
    {
        return strategy.getClass() == SimpleStrategy.class || strategy.getClass() == NetworkTopologyStrategy.class;
    }

    /** What is known of a table at one moment. */
    static final class Facts
    {
        final ColumnFamilyStore cfs;
        final TableMetadata metadata;
        final KeyspaceMetadata keyspace;
        final AbstractReplicationStrategy strategy;
        final View view;
        /** Null while they are not known. */
        final RingRanges ranges;

        Facts(ColumnFamilyStore cfs, TableMetadata metadata, KeyspaceMetadata keyspace, AbstractReplicationStrategy strategy,
              View view, RingRanges ranges)
        {
            this.cfs = cfs;
            this.metadata = metadata;
            this.keyspace = keyspace;
            this.strategy = strategy;
            this.view = view;
            this.ranges = ranges;
        }
    }
}
