/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

import org.apache.cassandra.db.commitlog.CommitLogPosition;
import org.apache.cassandra.db.memtable.Memtable;
import org.apache.cassandra.db.memtable.SkipListMemtableFactory;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.index.transactions.UpdateTransaction;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.schema.TableMetadataRef;
import org.apache.cassandra.utils.concurrent.OpOrder;

import io.cassiterite.engine.Store;
import io.cassiterite.engine.Table;
import io.cassiterite.engine.TableSchema;

/** Engine memtables without a node around them, for tests of other packages. */
public final class TestMemtable
{
    private static final OpOrder ORDER = new OpOrder();

    private TestMemtable()
    {
    }

    /** Initializes what Cassandra's classes need. */
    public static void initialize()
    {
        TestNode.initialize();
    }

    /** @param name of a folder, new in each run */
    public static Store openStore(String name)
    {
        String directory = TestNode.initialize().resolve(name + '-' + System.nanoTime()).toAbsolutePath().toString();
        return Store.open(Map.of(Store.DIRECTORY, directory, "node.commitlog_sync", "periodic"));
    }

    public static CassiteriteMemtable open(Store store, TableMetadata metadata)
    {
        return open(store, TableMetadataRef.forOfflineTools(metadata));
    }

    static CassiteriteMemtable open(Store store, TableMetadataRef ref)
    {
        return of(ref, null, store.openTable(TableSchema.request(ref.get()), ref.toString()));
    }

    /** The memtable of a generation. */
    public static CassiteriteMemtable of(TableMetadataRef ref, Memtable.Owner owner, Table table)
    {
        return new CassiteriteMemtable(new AtomicReference<>(CommitLogPosition.NONE), ref, owner, new CassiteriteFactory(new HashMap<>()),
                                       table, null);
    }

    /** Changes the table's schema as Cassandra does, which tells the memtable of it later. */
    static void change(TableMetadataRef ref, TableMetadata metadata)
    {
        try
        {
            Method set = TableMetadataRef.class.getDeclaredMethod("set", TableMetadata.class);
            set.setAccessible(true);
            set.invoke(ref, metadata);
        }
        catch (ReflectiveOperationException e)
        {
            throw new AssertionError(e);
        }
    }

    /** @return a memtable of Cassandra's own, on heap */
    public static Memtable stock(TableMetadata metadata)
    {
        return SkipListMemtableFactory.INSTANCE.create(new AtomicReference<>(CommitLogPosition.NONE),
                                                       TableMetadataRef.forOfflineTools(metadata), null);
    }

    /** Makes it the one that the table's streams go to. */
    public static void install(CassiteriteMemtable memtable)
    {
        EngineTables.put(memtable);
    }

    public static void put(Memtable memtable, PartitionUpdate update)
    {
        try (OpOrder.Group group = ORDER.start())
        {
            memtable.put(update, UpdateTransaction.NO_OP, group);
        }
    }
}
