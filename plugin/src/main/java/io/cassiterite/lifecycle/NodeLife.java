/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.lifecycle;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.schema.TableId;

import io.cassiterite.engine.Store;
import io.cassiterite.engine.Table;
import io.cassiterite.node.PluginLife;
import io.cassiterite.node.StartRefusal;
import io.cassiterite.node.StoreReport;

/** The life of the plug-in in a node that the start guard has let start. Thread-safe. */
final class NodeLife implements PluginLife
{
    private static final Logger logger = LoggerFactory.getLogger(NodeLife.class);

    /** Ids of the tables of the schema that have not been opened yet. */
    private final Set<String> unopened = ConcurrentHashMap.newKeySet();
    /** Tables of the schema that had been opened in the node's store before it started: names by id. */
    private final Map<String, String> marked;
    private final Restore restore;

    NodeLife(StartFacts facts)
    {
        restore = new Restore(facts);
        for (StartFacts.SchemaTable table : facts.tables)
            unopened.add(table.id);
        marked = facts.marked();
    }

    @Override
    public void start(Map<String, String> parameters)
    {
        Plugin.start(parameters);
    }

    @Override
    public boolean wasInSchema(TableId table)
    {
        return unopened.remove(table.toString());
    }

    @Override
    public boolean keepsRows(ColumnFamilyStore cfs, boolean hasRows)
    {
        return TableEntry.keepsRows(cfs, hasRows);
    }

    @Override
    public boolean opened(ColumnFamilyStore cfs, Table table)
    {
        boolean wasMarked = TableEntry.opened(cfs, table.store());
        String refusal = restore.take(cfs.metadata(), table);
        if (refusal != null)
            throw StartRefusal.of(refusal, null);
        return wasMarked;
    }

    @Override
    public boolean ensurePatched(ColumnFamilyStore cfs)
    {
        return ManagerInstaller.ensurePatched(cfs);
    }

    /** All at once, before a table is opened: it would take a start for each. */
    @Override
    public String whyUnusable(Store store, Map<String, String> parameters)
    {
        String missing = missingTables(store, parameters);
        return missing == null ? restore.refusal(store) : missing;
    }

    private String missingTables(Store store, Map<String, String> parameters)
    {
        if (marked.isEmpty())
            return null;
        Set<String> found = StoreReport.parse(store.report("tables")).rows.stream()
                                       .map(row -> row.get("table_id")).collect(Collectors.toSet());
        String why = MissingTables.refusal(store.directory(), marked, found);
        if (why == null || MissingTables.matter(parameters))
            return why;
        logger.warn("They are empty, for wal_recovery gives up a part of the log: {}", why);
        return null;
    }
}
