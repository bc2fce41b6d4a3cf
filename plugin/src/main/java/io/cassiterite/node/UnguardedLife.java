/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.node;

import java.util.Map;

import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.schema.TableId;

import io.cassiterite.engine.Store;
import io.cassiterite.engine.Table;

/** None: of offline tools, and of a node whose JVM options lack the start guard, which must not use the engine. */
final class UnguardedLife implements PluginLife
{
    /** The class that the option is to name. */
    static final String GUARD = "io.cassiterite.lifecycle.StartGuard";

    @Override
    public void start(Map<String, String> parameters)
    {
        if (DatabaseDescriptor.isDaemonInitialized())
            throw StartRefusal.of("add -Dcassandra.storage_hook=" + GUARD + " to the JVM options and do not map the memtable " +
                                  "configuration 'default' to Cassiterite. Without the guard a later start could open the tables " +
                                  "without their data.", null);
    }

    @Override
    public boolean wasInSchema(TableId table)
    {
        return false;
    }

    @Override
    public boolean keepsRows(ColumnFamilyStore cfs, boolean hasRows)
    {
        return true;
    }

    @Override
    public boolean opened(ColumnFamilyStore cfs, Table table)
    {
        return true;
    }

    @Override
    public boolean ensurePatched(ColumnFamilyStore cfs)
    {
        return false;
    }

    @Override
    public String whyUnusable(Store store, Map<String, String> parameters)
    {
        return null;
    }
}
