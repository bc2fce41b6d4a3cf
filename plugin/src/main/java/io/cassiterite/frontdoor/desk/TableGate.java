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

import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.lifecycle.View;
import org.apache.cassandra.db.memtable.Memtable;
import org.apache.cassandra.locator.AbstractReplicationStrategy;
import org.apache.cassandra.locator.NetworkTopologyStrategy;
import org.apache.cassandra.locator.PendingRangeMaps;
import org.apache.cassandra.locator.SimpleStrategy;
import org.apache.cassandra.metrics.Sampler;
import org.apache.cassandra.schema.KeyspaceMetadata;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.service.StorageService;
import org.apache.cassandra.service.reads.AlwaysSpeculativeRetryPolicy;

import io.cassiterite.memtable.CassiteriteMemtable;
import io.cassiterite.memtable.EngineTables;
import io.cassiterite.node.EngineTable;

/** Why the front door answers no request for a table, or writes nothing to it, at present. Each reason can be asked for in no time. */
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
    SPECULATIVE_RETRY("speculative_retry is ALWAYS: each read asks two replicas", Scope.READS,
                      facts -> facts.metadata.params.speculativeRetry.equals(AlwaysSpeculativeRetryPolicy.INSTANCE)),
    REPLICATION("the keyspace has neither SimpleStrategy nor NetworkTopologyStrategy", facts -> !isKnown(facts.strategy)),
    TRANSIENT_REPLICAS("the keyspace has transient replicas", facts -> facts.strategy.hasTransientReplicas()),
    SAMPLER("nodetool samples the table's requests",
            facts -> facts.cfs.metric.samplers.values().stream().anyMatch(Sampler::isActive)),
    RANGES("the ranges of which the node is a replica are being computed", facts -> facts.ranges == null),

    REPLICAS("writes: rows of the keyspace have several replicas, and front_door_writes is not replicated", Scope.WRITES,
             facts -> facts.haveSeveralReplicas() && !facts.replicatesWrites),
    DATA_CENTERS("writes: rows of the keyspace may have replicas in other data centers", Scope.WRITES,
                 facts -> facts.haveSeveralReplicas() && hasOtherDataCenters(facts.strategy)),
    PENDING_REPLICAS("writes: nodes join, leave or move", Scope.WRITES, TableGate::hasPendingReplicas),
    NOT_DURABLE("writes: durable_writes of the keyspace is false", Scope.WRITES, facts -> !facts.keyspace.params.durableWrites),
    COMMIT_LOG("writes: they go to Cassandra's commit log, too", Scope.WRITES,
               facts -> !facts.metadata.params.memtable.factory().writesShouldSkipCommitLog() || facts.metadata.params.cdc),
    ROW_CACHE("writes: caching of the table names rows", Scope.WRITES, facts -> facts.metadata.params.caching.cacheRows()),
    BULK_LOAD("writes: rows come in by a stream or a load, or the table is leaving the engine", Scope.WRITES, TableGate::isLoading),
    WRITE_GUARDRAILS("writes: a guardrail concerns them", Scope.WRITES, facts -> WriteGuardrails.areAny()),
    WRITE_DENYLIST("writes: the partition denylist is on for them", Scope.WRITES,
                   facts -> DatabaseDescriptor.getPartitionDenylistEnabled() && DatabaseDescriptor.getDenylistWritesEnabled()),
    IDEAL_CONSISTENCY("writes: ideal_consistency_level is set", Scope.WRITES,
                      facts -> DatabaseDescriptor.getIdealConsistencyLevel() != null);

    /** Of which requests a gate is. */
    enum Scope
    {
        ALL,
        READS,
        WRITES
    }

    private final String reason;
    private final Scope scope;
    private final Predicate<Facts> closed;

    TableGate(String reason, Predicate<Facts> closed)
    {
        this(reason, Scope.ALL, closed);
    }

    TableGate(String reason, Scope scope, Predicate<Facts> closed)
    {
        this.reason = reason;
        this.scope = scope;
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
        return closed(facts, Scope.READS);
    }

    /**
     * @param facts    null if Cassandra does not have the table
     * @param requests READS or WRITES
     */
    static Set<TableGate> closed(Facts facts, Scope requests)
    {
        if (facts == null)
            return Set.of(DROPPED);
        Set<TableGate> closed = EnumSet.noneOf(TableGate.class);
        for (TableGate gate : values())
            if ((gate.scope == Scope.ALL || gate.scope == requests) && gate.isClosed(facts))
                closed.add(gate);
        return Collections.unmodifiableSet(closed);
    }

    /** The latest memtable that the engine made is known before Cassandra uses it. */
    private static boolean hasOtherMemtables(Facts facts)
    {
        List<Memtable> live = facts.view.liveMemtables;
        return live.size() != 1 || !facts.view.flushingMemtables.isEmpty() || live.get(0) != EngineTables.find(facts.metadata.id);
    }

    /** Cassandra may have such ranges of a node that is gone by now: that only delays. */
    private static boolean hasPendingReplicas(Facts facts)
    {
        PendingRangeMaps pending = StorageService.instance.getTokenMetadata().getPendingRanges(facts.keyspace.name);
        return pending != null && pending.iterator().hasNext();
    }

    /** With SimpleStrategy, ranges that have replicas elsewhere are left out ({@link RingReplicas#ofWrites}). */
    private static boolean hasOtherDataCenters(AbstractReplicationStrategy strategy)
    {
        return strategy instanceof NetworkTopologyStrategy &&
               !((NetworkTopologyStrategy) strategy).getDatacenters().equals(Set.of(DatabaseDescriptor.getLocalDataCenter()));
    }

    private static boolean isLoading(Facts facts)
    {
        CassiteriteMemtable memtable = EngineTables.find(facts.metadata.id);
        return memtable == null || memtable.statistics().isLoading();
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
        /** Whether rows with several replicas are the door's to write. */
        final boolean replicatesWrites;

        Facts(ColumnFamilyStore cfs, TableMetadata metadata, KeyspaceMetadata keyspace, AbstractReplicationStrategy strategy,
              View view, RingRanges ranges, boolean replicatesWrites)
        {
            this.replicatesWrites = replicatesWrites;
            this.cfs = cfs;
            this.metadata = metadata;
            this.keyspace = keyspace;
            this.strategy = strategy;
            this.view = view;
            this.ranges = ranges;
        }

        boolean haveSeveralReplicas()
        {
            return strategy.getReplicationFactor().allReplicas != 1;
        }
    }
}
