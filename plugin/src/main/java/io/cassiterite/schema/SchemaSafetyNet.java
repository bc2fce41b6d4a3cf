/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.schema;

import java.util.Set;
import java.util.function.Consumer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.Keyspace;
import org.apache.cassandra.schema.Schema;
import org.apache.cassandra.schema.SchemaChangeListener;
import org.apache.cassandra.schema.SchemaConstants;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.schema.ViewMetadata;
import org.apache.cassandra.utils.JVMStabilityInspector;

import io.cassiterite.node.EngineTable;

/**
 * Checks each change of the schema, whichever node made it. A change made at a node without the plug-in cannot be
 * refused here. It is logged as an error, and an index that would answer wrongly is blocked.
 */
public final class SchemaSafetyNet implements SchemaChangeListener
{
    private static final Logger logger = LoggerFactory.getLogger(SchemaSafetyNet.class);

    private final Consumer<ColumnFamilyStore> onEngineTable;
    private final Consumer<TableMetadata> onOtherTable;
    private final Consumer<TableMetadata> onDropped;

    /**
     * @param onEngineTable called for every engine table that is created or changed, before the change is answered; must
     *                      be idempotent
     * @param onOtherTable  called for every stock table that is created
     * @param onDropped     called when an engine table is gone
     */
    public SchemaSafetyNet(Consumer<ColumnFamilyStore> onEngineTable,
                           Consumer<TableMetadata> onOtherTable,
                           Consumer<TableMetadata> onDropped)
    {
        this.onEngineTable = onEngineTable;
        this.onOtherTable = onOtherTable;
        this.onDropped = onDropped;
    }

    @Override
    public void onCreateTable(TableMetadata table)
    {
        if (!EngineTable.is(table))
            onOtherTable.accept(table);
        admit(table);
    }

    @Override
    public void onAlterTable(TableMetadata before, TableMetadata after, boolean affectsStatements)
    {
        if (EngineTable.is(before) != EngineTable.is(after))
            logger.error("{}: the memtable changed from '{}' to '{}' by a node without Cassiterite's query handler. Data " +
                         "written before the change may be invisible. Change it back at once, by ALTER TABLE on that node: " +
                         "this one would refuse it.",
                         after,
                         before.params.memtable.configurationKey(),
                         after.params.memtable.configurationKey());
        admit(after);
    }

    @Override
    public void onCreateView(ViewMetadata view)
    {
        TableMetadata base = Schema.instance.getTableMetadata(view.baseTableId);
        if (EngineTable.is(view.metadata) || (base != null && EngineTable.is(base)))
            logger.error("Materialized view {} on {} was created by a node without Cassiterite's query handler. Views of " +
                         "Cassiterite tables are not built and must not be read: drop the view.", view.metadata, base);
        admit(view.metadata);
    }

    @Override
    public void onDropTable(TableMetadata table, boolean dropData)
    {
        if (EngineTable.is(table))
            onDropped.accept(table);
    }

    /** Checks all tables that exist; for the start, when the listener is called before any table is open. */
    public void admitAll()
    {
        for (ColumnFamilyStore cfs : EngineTable.open())
            admit(cfs.metadata());
    }

    /** Blocks unsupported indexes again that an index build has made queryable since; for periodic use. */
    public void closeIndexes()
    {
        for (ColumnFamilyStore cfs : EngineTable.open())
            if (!cfs.metadata().indexes.isEmpty())
                IndexBlocker.close(cfs);
    }

    private void admit(TableMetadata table)
    {
        if (!EngineTable.is(table) || !Keyspace.isInitialized())
            return;

        ColumnFamilyStore cfs = Schema.instance.getColumnFamilyStoreInstance(table.id);
        if (cfs == null)
            return;

        try
        {
            onEngineTable.accept(cfs);
            report(cfs);
        }
        catch (Throwable t)
        {
            // without its managers the table would be streamed and validated as if it were empty
            logger.error("{} cannot be served safely; the node stops", table, t);
            JVMStabilityInspector.killCurrentJVM(t, false);
        }
    }

    private static void report(ColumnFamilyStore cfs)
    {
        if (SchemaConstants.isSystemKeyspace(cfs.getKeyspaceName()))
            throw new IllegalStateException("a table of Cassandra itself must keep a stock memtable");

        Set<String> violations = SchemaRules.violations(cfs.metadata());
        if (violations.isEmpty())
            return;

        for (String violation : violations)
            logger.error("The schema holds what Cassiterite does not support: {}", violation);
        IndexBlocker.close(cfs);
    }
}
