/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.Keyspace;
import org.apache.cassandra.locator.AbstractReplicationStrategy;
import org.apache.cassandra.locator.TokenMetadata;
import org.apache.cassandra.schema.KeyspaceMetadata;
import org.apache.cassandra.schema.Schema;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.service.StorageService;
import org.apache.cassandra.utils.FBUtilities;

import io.cassiterite.memtable.CassiteriteMemtable;
import io.cassiterite.memtable.MemtableStatistics;

import static io.cassiterite.engine.BackgroundWork.attempt;

/** The states of Cassandra's tables. Thread-safe. */
final class CassandraTables
{
    /** Writes may be older by so much than the opening of their table. */
    private static final long LATE_MICROS = TimeUnit.MINUTES.toMicros(10);

    private final TrackerWatch watch;
    private final BooleanSupplier comparesReplicas;
    private final BooleanSupplier replicatesWrites;
    private final Map<String, RingRanges> ranges = new ConcurrentHashMap<>();
    private final Layouts layouts = new Layouts();

    /**
     * @param comparesReplicas whether tables are opened for reads that several replicas answer
     * @param replicatesWrites whether they are opened to writes of rows that have several replicas
     */
    CassandraTables(TrackerWatch watch, BooleanSupplier comparesReplicas, BooleanSupplier replicatesWrites)
    {
        this.replicatesWrites = replicatesWrites;
        this.watch = watch;
        this.comparesReplicas = comparesReplicas;
    }

    /** What is true at this moment; takes no time. */
    TableState state(TableId id)
    {
        TableGate.Facts facts = facts(id);
        Set<TableGate> closed = TableGate.closed(facts);
        if (!closed.isEmpty())
            return TableState.closed(closed);
        CassiteriteMemtable memtable = (CassiteriteMemtable) facts.view.getCurrentMemtable();
        return TableState.open(memtable.table(), facts.ranges, tombstones(), comparing(facts, memtable));
    }

    /** The same of writes. */
    TableState writeState(TableId id)
    {
        TableGate.Facts facts = facts(id);
        Set<TableGate> closed = TableGate.closed(facts, TableGate.Scope.WRITES);
        if (!closed.isEmpty())
            return TableState.closed(closed);
        CassiteriteMemtable memtable = (CassiteriteMemtable) facts.view.getCurrentMemtable();
        MemtableStatistics statistics = memtable.statistics();
        // Before the door writes: Cassandra is told of no single one.
        statistics.expectWrites(FBUtilities.timestampMicros() - LATE_MICROS);
        long smallestTimestamp = statistics.smallestTimestamp();
        if (!facts.haveSeveralReplicas())
            return TableState.openToWrites(memtable.table(), facts.ranges, smallestTimestamp, null);
        byte[] layout = layouts.ofWrites(facts.cfs, memtable);
        RingReplicas writers = facts.ranges.writers();
        return layout == null || writers == null
               ? TableState.closed(Set.of(TableGate.RANGES))
               : TableState.openToWrites(memtable.table(), facts.ranges, smallestTimestamp, new Copying(layout, writers));
    }

    private Comparing comparing(TableGate.Facts facts, CassiteriteMemtable memtable)
    {
        RingReplicas others = comparesReplicas.getAsBoolean() ? facts.ranges.others() : null;
        byte[] layout = others == null ? null : layouts.of(facts.cfs, memtable);
        return layout == null ? null : new Comparing(facts.metadata.params.gcGraceSeconds, layout, others);
    }

    /** Far below the numbers at which Cassandra warns or fails: it words that. */
    private static int tombstones()
    {
        return Math.min(DatabaseDescriptor.getTombstoneWarnThreshold(), DatabaseDescriptor.getTombstoneFailureThreshold()) / 2;
    }

    private TableGate.Facts facts(TableId id)
    {
        ColumnFamilyStore cfs = Schema.instance.getColumnFamilyStoreInstance(id);
        KeyspaceMetadata keyspace = cfs == null ? null : Schema.instance.getKeyspaceMetadata(cfs.getKeyspaceName());
        if (keyspace == null)
            return null;
        watch.watch(cfs.getTracker());
        AbstractReplicationStrategy strategy = cfs.keyspace.getReplicationStrategy();
        RingRanges known = ranges.get(keyspace.name);
        return new TableGate.Facts(cfs, cfs.metadata(), keyspace, strategy, cfs.getTracker().getView(),
                                   known != null && known.isCurrent(strategy, ring()) ? known : null,
                                   replicatesWrites.getAsBoolean());
    }

    /** Computes the ranges of the keyspaces in which they are not known. Takes long where there are many tokens. */
    void computeRanges(Set<String> keyspaces)
    {
        ranges.keySet().retainAll(keyspaces);
        for (String name : keyspaces)
        {
            Keyspace keyspace = Schema.instance.getKeyspaceInstance(name);
            // One keyspace's strategy may fail.
            if (keyspace != null)
                attempt("Computing the ranges of keyspace " + name, () -> computeRanges(keyspace));
        }
    }

    private void computeRanges(Keyspace keyspace)
    {
        AbstractReplicationStrategy strategy = keyspace.getReplicationStrategy();
        boolean withOthers = comparesReplicas.getAsBoolean();
        RingRanges known = ranges.get(keyspace.getName());
        if (known == null || !known.isCurrent(strategy, ring()) || withOthers && known.others() == null)
            ranges.put(keyspace.getName(), RingRanges.of(strategy, ring(), FBUtilities.getBroadcastAddressAndPort(), withOthers));
    }

    private static TokenMetadata ring()
    {
        return StorageService.instance.getTokenMetadata();
    }
}
