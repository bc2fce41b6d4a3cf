/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.lifecycle;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.Directories;
import org.apache.cassandra.db.Keyspace;
import org.apache.cassandra.db.marshal.UTF8Type;
import org.apache.cassandra.db.memtable.Memtable;
import org.apache.cassandra.db.memtable.SkipListMemtableFactory;
import org.apache.cassandra.db.streaming.CassandraStreamManager;
import org.apache.cassandra.schema.KeyspaceMetadata;
import org.apache.cassandra.schema.KeyspaceParams;
import org.apache.cassandra.schema.MemtableParams;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.schema.TableMetadataRef;
import org.apache.cassandra.schema.TableParams;
import org.apache.cassandra.schema.Tables;

import io.cassiterite.OwnJvm;
import io.cassiterite.memtable.TestNode;
import io.cassiterite.repair.EngineRepairManager;
import io.cassiterite.stream.EngineStreamManager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

@OwnJvm
public class ManagerInstallerTest
{
    /** Taken for the engine's because of its package; rows stay on the heap. */
    public static final class HeapMemtable
    {
        public static final Memtable.Factory FACTORY = new SkipListMemtableFactory()
        {
        };
    }

    private final List<ColumnFamilyStore> patched = new ArrayList<>();

    @BeforeAll
    static void asMuchOfANodeAsATableNeeds()
    {
        TestNode.initializeWith("memtable: {configurations: {engine: {class_name: " + HeapMemtable.class.getName() + "}}}");
    }

    @BeforeEach
    void listen()
    {
        ManagerInstaller.onPatched(patched::add);
    }

    @AfterEach
    void listenNoMore()
    {
        ManagerInstaller.onPatched(cfs -> {});
    }

    private static ColumnFamilyStore open(String name, String memtable)
    {
        TableMetadata table = TableMetadata.builder("shop", name).addPartitionKeyColumn("k", UTF8Type.instance)
                                           .params(TableParams.builder().memtable(MemtableParams.get(memtable)).build()).build();
        Keyspace keyspace = Keyspace.mockKS(KeyspaceMetadata.create("shop", KeyspaceParams.local(), Tables.of(table)));
        return ColumnFamilyStore.createColumnFamilyStore(keyspace, name, TableMetadataRef.forOfflineTools(table),
                                                         new Directories(table), false, false, true);
    }

    private static void assertHasManagers(ColumnFamilyStore cfs)
    {
        assertInstanceOf(EngineStreamManager.class, cfs.getStreamManager());
        assertInstanceOf(EngineRepairManager.class, cfs.getRepairManager());
    }

    @Test
    void anEngineTableGetsItsManagersOnce()
    {
        ColumnFamilyStore cfs = open("orders", "engine");
        assertTrue(ManagerInstaller.ensurePatched(cfs));
        assertHasManagers(cfs);
        Object streams = cfs.getStreamManager();
        Object repairs = cfs.getRepairManager();
        assertTrue(ManagerInstaller.ensurePatched(cfs));
        assertSame(streams, cfs.getStreamManager());
        assertSame(repairs, cfs.getRepairManager());
        assertEquals(List.of(cfs), patched);
    }

    @Test
    void anotherTableKeepsCassandrasOwn()
    {
        ColumnFamilyStore cfs = open("plain", "default");
        assertTrue(ManagerInstaller.ensurePatched(cfs));
        assertSame(CassandraStreamManager.class, cfs.getStreamManager().getClass());
        assertFalse(cfs.getRepairManager() instanceof EngineRepairManager);
        assertEquals(List.of(), patched);
    }

    @Test
    void oneManagerAloneIsNotEnough() throws ReflectiveOperationException
    {
        ColumnFamilyStore cfs = open("half", "engine");
        Object stock = cfs.getRepairManager();
        ManagerInstaller.ensurePatched(cfs);
        set(cfs, "repairManager", stock);
        Object streams = cfs.getStreamManager();
        assertTrue(ManagerInstaller.ensurePatched(cfs));
        assertHasManagers(cfs);
        assertNotSame(streams, cfs.getStreamManager());
    }

    /** The constructor sets the repair manager last. */
    @Test
    void aTableUnderConstructionIsLeftForLater() throws ReflectiveOperationException
    {
        ColumnFamilyStore cfs = open("early", "engine");
        Object stock = cfs.getRepairManager();
        set(cfs, "repairManager", null);
        assertFalse(ManagerInstaller.ensurePatched(cfs));
        assertSame(CassandraStreamManager.class, cfs.getStreamManager().getClass());
        set(cfs, "repairManager", stock);
        assertTrue(ManagerInstaller.ensurePatched(cfs));
        assertHasManagers(cfs);
    }

    private static void set(ColumnFamilyStore cfs, String name, Object value) throws ReflectiveOperationException
    {
        Field field = ColumnFamilyStore.class.getDeclaredField(name);
        field.setAccessible(true);
        field.set(cfs, value);
    }
}
