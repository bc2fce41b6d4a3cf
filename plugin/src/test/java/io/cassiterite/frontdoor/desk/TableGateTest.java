/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.cql3.WhereClause;
import org.apache.cassandra.cql3.functions.Arguments;
import org.apache.cassandra.cql3.functions.NativeScalarFunction;
import org.apache.cassandra.cql3.functions.masking.ColumnMask;
import org.apache.cassandra.cql3.statements.schema.IndexTarget;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.ColumnFamilyStore.FlushReason;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.marshal.UTF8Type;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.locator.AbstractReplicationStrategy;
import org.apache.cassandra.locator.LocalStrategy;
import org.apache.cassandra.locator.SimpleStrategy;
import org.apache.cassandra.locator.TokenMetadata;
import org.apache.cassandra.metrics.Sampler.SamplerType;
import org.apache.cassandra.schema.IndexMetadata;
import org.apache.cassandra.schema.Indexes;
import org.apache.cassandra.schema.KeyspaceMetadata;
import org.apache.cassandra.schema.KeyspaceParams;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.schema.TableParams;
import org.apache.cassandra.schema.Tables;
import org.apache.cassandra.schema.TriggerMetadata;
import org.apache.cassandra.schema.Triggers;
import org.apache.cassandra.schema.Types;
import org.apache.cassandra.schema.UserFunctions;
import org.apache.cassandra.schema.ViewMetadata;
import org.apache.cassandra.schema.Views;
import org.apache.cassandra.service.reads.SpeculativeRetryPolicy;

import io.cassiterite.OwnJvm;
import io.cassiterite.memtable.CassiteriteMemtable;
import io.cassiterite.memtable.EngineTables;
import io.cassiterite.memtable.TestTables;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Each test names what a native answer would get wrong without its gate. */
@OwnJvm
class TableGateTest
{
    static
    {
        TestTables.initialize();
    }

    private static final ColumnMask MASK = new ColumnMask(new NativeScalarFunction("nothing", Int32Type.instance, Int32Type.instance)
    {
        @Override
        public ByteBuffer execute(Arguments arguments)
        {
            return null;
        }
    });

    private static int tables;

    private final TableMetadata engine = table(builder -> {});
    private final List<Set<TableGate>> seen = new ArrayList<>();

    @BeforeAll
    static void noListener()
    {
        EngineTables.onChange(table -> {});
    }

    @AfterEach
    void noListenerAnyMore()
    {
        noListener();
    }

    private static TableMetadata table(Consumer<TableMetadata.Builder> more)
    {
        TableMetadata.Builder builder = TableMetadata.builder("shop", "orders" + tables++, TableId.generate())
                                                     .addPartitionKeyColumn("k", UTF8Type.instance)
                                                     .addRegularColumn("v", Int32Type.instance)
                                                     .params(TableParams.builder().memtable(TestTables.engine()).build());
        more.accept(builder);
        return builder.build();
    }

    private static AbstractReplicationStrategy replication(String factor)
    {
        return new SimpleStrategy("shop", new TokenMetadata(), DatabaseDescriptor.getEndpointSnitch(),
                                  Map.of("replication_factor", factor));
    }

    private static KeyspaceMetadata keyspace(Views views)
    {
        return KeyspaceMetadata.create("shop", KeyspaceParams.simple(1), Tables.none(), views, Types.none(), UserFunctions.none());
    }

    /** Of a table that is open. */
    private static Set<TableGate> closed(ColumnFamilyStore cfs)
    {
        return TableGate.closed(new TableGate.Facts(cfs, cfs.metadata(), keyspace(Views.none()), replication("1"),
                                                    cfs.getTracker().getView(), RingRangesTest.ALONE, false));
    }

    /** Of an open table with another schema. */
    private static Set<TableGate> closed(TableMetadata metadata, KeyspaceMetadata keyspace, AbstractReplicationStrategy strategy)
    {
        ColumnFamilyStore cfs = TestTables.open(table(builder -> builder.id(metadata.id)));
        return TableGate.closed(new TableGate.Facts(cfs, metadata, keyspace, strategy, cfs.getTracker().getView(), RingRangesTest.ALONE,
                                                    false));
    }

    private static Set<TableGate> closed(Consumer<TableMetadata.Builder> more)
    {
        return closed(table(more), keyspace(Views.none()), replication("1"));
    }

    @Test
    void anOrdinaryEngineTableIsOpen()
    {
        assertEquals(Set.of(), closed(TestTables.open(engine)));
    }

    @Test
    void rowsOfADroppedTableAreNotAnswered()
    {
        assertEquals(Set.of(TableGate.DROPPED), TableGate.closed((TableGate.Facts) null));
    }

    /** Its rows are in Cassandra's memtable and in sstables. */
    @Test
    void rowsOfAStockTableAreNotMissed()
    {
        TableMetadata stock = table(builder -> builder.params(TableParams.builder().build()));
        assertEquals(EnumSet.of(TableGate.NO_ENGINE_TABLE, TableGate.MEMTABLES), closed(TestTables.open(stock)));
    }

    /** F4, F8: between the switch and the end of the flush, new rows go to one generation and the door would read the other. */
    @Test
    void truncatedRowsDoNotReturnAndNewOnesAreNotMissed() throws Exception
    {
        ColumnFamilyStore cfs = TestTables.open(engine);
        CassiteriteMemtable before = EngineTables.find(engine.id);
        EngineTables.onChange(id -> seen.add(closed(cfs)));
        cfs.dumpMemtable().get();
        assertEquals(Set.of(TableGate.MEMTABLES), seen.get(0));
        assertEquals(Set.of(), closed(cfs));
        assertNotSame(before.table(), EngineTables.find(engine.id).table());
    }

    /** F4: what is written after ALTER TABLE ... WITH memtable goes to Cassandra's own memtable. */
    @Test
    void theTableIsClosedBeforeItsMemtableIsReplaced()
    {
        ColumnFamilyStore cfs = TestTables.open(engine);
        CassiteriteMemtable memtable = EngineTables.find(engine.id);
        EngineTables.onChange(id -> seen.add(closed(cfs)));
        assertFalse(memtable.shouldSwitch(FlushReason.SCHEMA_CHANGE));
        alter(cfs, engine.unbuild().params(TableParams.builder().build()).build());
        assertTrue(memtable.shouldSwitch(FlushReason.SCHEMA_CHANGE));
        assertEquals(List.of(Set.of(), Set.of(TableGate.NO_ENGINE_TABLE)), seen);
    }

    private static void alter(ColumnFamilyStore cfs, TableMetadata altered)
    {
        try
        {
            java.lang.reflect.Method set = cfs.metadata.getClass().getDeclaredMethod("set", TableMetadata.class);
            set.setAccessible(true);
            set.invoke(cfs.metadata, altered);
        }
        catch (ReflectiveOperationException e)
        {
            throw new AssertionError(e);
        }
    }

    /** F3: the ranges are looked at again when Cassandra says that they have changed. */
    @Test
    void newRangesCloseTheTableUntilTheyAreKnown()
    {
        ColumnFamilyStore cfs = TestTables.open(engine);
        List<TableId> told = new ArrayList<>();
        EngineTables.onChange(told::add);
        EngineTables.find(engine.id).localRangesUpdated();
        assertEquals(List.of(engine.id), told);
        assertEquals(Set.of(TableGate.RANGES),
                     TableGate.closed(new TableGate.Facts(cfs, engine, keyspace(Views.none()), replication("1"),
                                                          cfs.getTracker().getView(), null, false)));
    }

    /** F4: nodetool import puts rows beside the engine's. */
    @Test
    void rowsInSstablesAreNotMissed()
    {
        TableMetadata stock = table(builder -> builder.params(TableParams.builder().build()));
        ColumnFamilyStore cfs = TestTables.open(stock);
        PartitionUpdate.SimpleBuilder update = PartitionUpdate.simpleBuilder(stock, "k").timestamp(1);
        update.row().add("v", 1);
        TestTables.write(cfs, update.build());
        cfs.forceBlockingFlush(FlushReason.UNIT_TESTS);
        Set<TableGate> closed = TableGate.closed(new TableGate.Facts(cfs, engine, keyspace(Views.none()), replication("1"),
                                                                     cfs.getTracker().getView(), RingRangesTest.ALONE, false));
        assertTrue(closed.contains(TableGate.SSTABLES));
    }

    /** A recipe does not know indexes; Cassandra may read by one, or refuse. */
    @Test
    void queriesByAnIndexAreNotAnswered()
    {
        IndexMetadata index = IndexMetadata.fromSchemaMetadata("i", IndexMetadata.Kind.COMPOSITES,
                                                               Map.of(IndexTarget.TARGET_OPTION_NAME, "v"));
        assertEquals(Set.of(TableGate.INDEX), closed(builder -> builder.indexes(Indexes.of(index))));
    }

    @Test
    void aBaseTableOfViewsAndAViewAreNotAnswered()
    {
        TableMetadata base = table(builder -> {});
        TableMetadata view = table(builder -> builder.kind(TableMetadata.Kind.VIEW));
        ViewMetadata metadata = new ViewMetadata(base.id, base.name, true, WhereClause.empty(), view);
        assertEquals(Set.of(TableGate.VIEW), closed(base, keyspace(Views.builder().put(metadata).build()), replication("1")));
        assertEquals(Set.of(TableGate.VIEW), closed(view, keyspace(Views.none()), replication("1")));
    }

    @Test
    void tablesWithTriggersAreNotAnswered()
    {
        assertEquals(Set.of(TableGate.TRIGGER),
                     closed(builder -> builder.triggers(Triggers.of(TriggerMetadata.create("t", "shop.Trigger")))));
    }

    /** F14: who lacks UNMASK must not see the value. */
    @Test
    void maskedValuesAreNotShown()
    {
        assertEquals(Set.of(TableGate.MASK), closed(builder -> builder.addRegularColumn("secret", Int32Type.instance, MASK)));
    }

    @Test
    void compactStorageIsNotAnswered()
    {
        assertEquals(Set.of(TableGate.COMPACT_STORAGE),
                     closed(builder -> builder.flags(EnumSet.of(TableMetadata.Flag.DENSE)).addClusteringColumn("c", Int32Type.instance)));
    }

    @Test
    void readsThatAskTwoReplicasAreLeftToCassandra()
    {
        assertEquals(Set.of(TableGate.SPECULATIVE_RETRY),
                     closed(builder -> builder.params(TableParams.builder().memtable(TestTables.engine())
                                                                 .speculativeRetry(SpeculativeRetryPolicy.fromString("ALWAYS")).build())));
    }

    /** Of others nobody knows who the replicas are. */
    @Test
    void unknownReplicationIsNotAnswered()
    {
        AbstractReplicationStrategy local =
            new LocalStrategy("shop", new TokenMetadata(), DatabaseDescriptor.getEndpointSnitch(), Map.of());
        assertEquals(Set.of(TableGate.REPLICATION), closed(engine, keyspace(Views.none()), local));
    }

    /** A transient replica need not have what was acknowledged. */
    @Test
    void transientReplicationIsNotAnswered()
    {
        DatabaseDescriptor.setTransientReplicationEnabledUnsafe(true);
        try
        {
            assertEquals(Set.of(TableGate.TRANSIENT_REPLICAS), closed(engine, keyspace(Views.none()), replication("3/1")));
        }
        finally
        {
            DatabaseDescriptor.setTransientReplicationEnabledUnsafe(false);
        }
    }

    /** nodetool toppartitions would not see native reads. */
    @Test
    void sampledTablesAreLeftToCassandra()
    {
        ColumnFamilyStore cfs = TestTables.open(engine);
        cfs.metric.samplers.get(SamplerType.READS).beginSampling(256, 60_000);
        assertEquals(Set.of(TableGate.SAMPLER), closed(cfs));
        cfs.metric.samplers.get(SamplerType.READS).finishSampling(10);
        assertEquals(Set.of(), closed(cfs));
    }
}
