/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.node;

import java.util.ArrayList;
import java.util.List;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.schema.KeyspaceMetadata;
import org.apache.cassandra.schema.Schema;
import org.apache.cassandra.schema.TableMetadata;

/**
 * Which tables are engine tables: those whose memtable configuration resolves to a factory of this plug-in. Pure
 * functions, safe from any thread.
 */
public final class EngineTable
{
    private static final String PLUGIN_PACKAGE = "io.cassiterite.";

    private EngineTable()
    {
    }

    /** @return true if the table is an engine table according to its schema */
    public static boolean is(TableMetadata table)
    {
        return !table.isVirtual() && isFactory(table.params.memtable.factory().getClass().getName());
    }

    public static boolean is(ColumnFamilyStore cfs)
    {
        return is(cfs.metadata());
    }

    /** @return true if the table is an engine table whose writes are not in Cassandra's commit log on this node */
    public static boolean skipsCommitLog(TableMetadata table)
    {
        return is(table) && table.params.memtable.factory().writesShouldSkipCommitLog();
    }

    /** @return the engine tables that are open; opens none, which only the node's start may do */
    public static List<ColumnFamilyStore> open()
    {
        List<ColumnFamilyStore> open = new ArrayList<>();
        for (KeyspaceMetadata keyspace : Schema.instance.distributedKeyspaces())
            for (TableMetadata table : keyspace.tablesAndViews())
            {
                ColumnFamilyStore cfs = is(table) ? Schema.instance.getColumnFamilyStoreInstance(table.id) : null;
                if (cfs != null)
                    open.add(cfs);
            }
        return open;
    }

    /** @return true if a memtable configuration of this class (as cassandra.yaml names it) is the engine's */
    public static boolean isConfiguration(String className)
    {
        return className != null && isFactory(className);
    }

    private static boolean isFactory(String className)
    {
        return className.startsWith(PLUGIN_PACKAGE);
    }
}
