/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.lifecycle;

import java.util.function.Consumer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.Keyspace;
import org.apache.cassandra.schema.KeyspaceMetadata;
import org.apache.cassandra.schema.Schema;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.JVMStabilityInspector;

import io.cassiterite.node.EngineTable;
import io.cassiterite.reflect.PrivateMember;
import io.cassiterite.repair.EngineRepairManager;
import io.cassiterite.stream.EngineStreamManager;

/**
 * Gives every engine table the plug-in's stream and repair managers, which Cassandra has no setting for. Without them a
 * table would be streamed and validated as if it were empty, so the node stops if they cannot be installed. All methods
 * are idempotent and safe from any thread.
 */
final class ManagerInstaller
{
    private static final Logger logger = LoggerFactory.getLogger(ManagerInstaller.class);

    private static volatile boolean settled;
    /** The last engine table that had no managers yet; tables are opened in the order of the schema. */
    private static volatile TableMetadata awaited;
    private static volatile Consumer<ColumnFamilyStore> onPatched = cfs -> {};

    private ManagerInstaller()
    {
    }

    /** Sets what else is to be done, once or more, for a table that has its managers. */
    static void onPatched(Consumer<ColumnFamilyStore> action)
    {
        onPatched = action;
        awaited = null;
        settled = false;
    }

    /**
     * Installs the managers of one engine table; does nothing for other tables.
     *
     * @return false if the table is still under construction, which would overwrite the managers
     */
    static boolean ensurePatched(ColumnFamilyStore cfs)
    {
        if (!EngineTable.is(cfs))
            return true;
        if (cfs.getRepairManager() == null)
            return false;
        if (isPatched(cfs))
            return true;

        try
        {
            patch(cfs);
        }
        catch (Throwable t)
        {
            logger.error("Cannot install Cassiterite's stream and repair managers for {}; the node stops, because it " +
                         "would stream and repair the table as if it were empty", cfs.metadata(), t);
            JVMStabilityInspector.killCurrentJVM(t, false);
            return false;
        }
        return true;
    }

    /**
     * Installs the managers of all engine tables of the schema, unless all are known to have them. Called for every
     * read and write of a system table while the node starts; the last of them precedes the opening of the internode
     * port.
     */
    static void settle()
    {
        if (settled || !Keyspace.isInitialized() || isStillMissing(awaited))
            return;

        TableMetadata last = null;
        for (KeyspaceMetadata keyspace : Schema.instance.distributedKeyspaces())
            for (TableMetadata table : keyspace.tablesAndViews())
                if (!settle(table))
                    last = table;
        awaited = last;
        settled = last == null;
    }

    /** Spares a look at all tables for each read of a system table. */
    private static boolean isStillMissing(TableMetadata table)
    {
        return table != null && Schema.instance.getTableMetadata(table.id) != null && !settle(table);
    }

    /** @return true if every engine table of the schema had its managers at the last check */
    static boolean isSettled()
    {
        return settled;
    }

    private static boolean settle(TableMetadata table)
    {
        if (!EngineTable.is(table))
            return true;
        ColumnFamilyStore cfs = Schema.instance.getColumnFamilyStoreInstance(table.id);
        return cfs != null && ensurePatched(cfs);
    }

    private static boolean isPatched(ColumnFamilyStore cfs)
    {
        return cfs.getStreamManager() instanceof EngineStreamManager && cfs.getRepairManager() instanceof EngineRepairManager;
    }

    private static synchronized void patch(ColumnFamilyStore cfs)
    {
        if (isPatched(cfs))
            return;
        PrivateMember.STREAM_MANAGER.set(cfs, new EngineStreamManager(cfs));
        PrivateMember.REPAIR_MANAGER.set(cfs, new EngineRepairManager(cfs));
        if (!isPatched(cfs))
            throw new IllegalStateException("the managers were set, but Cassandra does not use them");
        onPatched.accept(cfs);
        logger.debug("Installed stream and repair managers for {}", cfs.metadata());
    }
}
