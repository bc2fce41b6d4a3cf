/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.util.HashMap;
import java.util.Map;

import org.apache.cassandra.db.CassandraWriteContext;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.Keyspace;
import org.apache.cassandra.db.commitlog.CommitLog;
import org.apache.cassandra.db.memtable.Memtable;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.schema.KeyspaceMetadata;
import org.apache.cassandra.schema.KeyspaceParams;
import org.apache.cassandra.schema.MemtableParams;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.schema.TableMetadataRef;
import org.apache.cassandra.schema.Tables;
import org.apache.cassandra.utils.concurrent.OpOrder;

/** Engine tables as Cassandra opens them, in a JVM without the rest of a node. */
public final class TestTables
{
    /** The name of the memtable configuration. */
    public static final String ENGINE = "engine";
    private static final String LOGGED = "logged";

    private TestTables()
    {
    }

    /** Makes engine memtables without starting the plug-in. */
    public static final class Engine
    {
        public static final Memtable.Factory FACTORY = new CassiteriteFactory(new HashMap<>());
    }

    /** The same, whose writes go to the commit log, too. */
    public static final class Logged
    {
        public static final Memtable.Factory FACTORY = new CassiteriteFactory(Map.of("commit_log", "on"));
    }

    /** Call this first. */
    public static void initialize()
    {
        TestNode.initializeWith("memtable: {configurations: {" + ENGINE + ": {class_name: " + Engine.class.getName() + "}, " +
                                LOGGED + ": {class_name: " + Logged.class.getName() + "}}}",
                            "materialized_views_enabled: true");
    }

    public static MemtableParams engine()
    {
        return MemtableParams.get(ENGINE);
    }

    public static MemtableParams logged()
    {
        return MemtableParams.get(LOGGED);
    }

    /** Opens a table in a keyspace of its own. */
    public static ColumnFamilyStore open(TableMetadata table)
    {
        Keyspace keyspace = Keyspace.mockKS(KeyspaceMetadata.create(table.keyspace, KeyspaceParams.simple(1), Tables.of(table)));
        keyspace.initCf(TableMetadataRef.forOfflineTools(table), false);
        return keyspace.getColumnFamilyStore(table.id);
    }

    public static void write(ColumnFamilyStore cfs, PartitionUpdate update)
    {
        try (OpOrder.Group group = Keyspace.writeOrder.start())
        {
            cfs.apply(update, new CassandraWriteContext(group, CommitLog.instance.getCurrentPosition()), false);
        }
    }
}
