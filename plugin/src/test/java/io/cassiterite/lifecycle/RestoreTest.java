/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.lifecycle;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.schema.TableMetadata;

import io.cassiterite.engine.Store;
import io.cassiterite.engine.Table;
import io.cassiterite.engine.TableSchema;
import io.cassiterite.memtable.CassiteriteMemtable;
import io.cassiterite.memtable.TestMemtable;
import io.cassiterite.node.StoreIdentity;
import io.cassiterite.node.UnreadFiles;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** M9: wherever a start that takes a snapshot in is cut short, the next one repeats it or ends it, and loses nothing. */
class RestoreTest
{
    private static final String NAME = "orders";
    private static final int ROWS = 10;

    @TempDir
    private Path data;

    private TableMetadata metadata;
    private Path folder;
    private Path snapshot;
    private Store store;
    private StartFacts facts;

    @BeforeEach
    void aSnapshotInTheFolderOfATable() throws IOException
    {
        TestMemtable.initialize();
        metadata = TableMetadata.builder("shop", NAME, TableId.generate()).partitioner(Murmur3Partitioner.instance)
                                .addPartitionKeyColumn("p", Int32Type.instance).addRegularColumn("v", Int32Type.instance).build();
        folder = Files.createDirectories(data.resolve("shop").resolve(NAME + '-' + metadata.id.toHexString()));
        snapshot = folder.resolve(".cassiterite");
        try (Store source = TestMemtable.openStore("restored-from"))
        {
            CassiteriteMemtable memtable = TestMemtable.open(source, metadata);
            for (int p = 0; p < ROWS; p++)
                TestMemtable.put(memtable, row(p));
            memtable.table().snapshot(snapshot.toString());
        }
        store = TestMemtable.openStore("restored-into");
        look();
    }

    @AfterEach
    void close()
    {
        store.close();
    }

    /** What a start finds. */
    private void look() throws IOException
    {
        facts = new StartFacts();
        facts.inspectedMillis = 17;
        facts.loadCommand = "java";
        facts.memtableClasses.put("cassiterite", CassiteriteMemtable.class.getName());
        facts.tables.add(new StartFacts.SchemaTable("shop." + NAME, metadata.id.toString(), "cassiterite"));
        facts.unreadFiles.addAll(UnreadFiles.findAll(data, null));
    }

    @Test
    void anEmptyTableTakesItInAndKeepsItAsASnapshot() throws IOException
    {
        List<String> files = names(snapshot);
        assertNull(start());
        assertRestored();
        assertEquals(files, names(folder.resolve("snapshots/restored-17/.cassiterite")));
        look();
        assertNull(start(), "the next start has nothing to do");
        assertRestored();
    }

    @Test
    void aCrashBeforeTheRowsAreInRepeatsIt() throws IOException
    {
        mark(StoreIdentity.readOrCreate(Path.of(store.directory())));
        assertNull(start());
        assertRestored();
    }

    @Test
    void aCrashBehindThatOnlyMovesTheFilesAway() throws IOException
    {
        mark(StoreIdentity.readOrCreate(Path.of(store.directory())));
        table().restore(snapshot.toString());
        long files = table().stats().liveSstFiles();
        assertNull(start());
        assertRestored();
        assertEquals(files, table().stats().liveSstFiles(), "not once more");
    }

    @Test
    void aTableWithRowsKeepsThem() throws IOException
    {
        TestMemtable.put(TestMemtable.open(store, metadata), row(-1));
        for (String marked : new String[]{ null, "another store" })
        {
            if (marked != null)
                mark(marked);
            String refusal = start();
            assertTrue(refusal.contains("The start does not take them in: the table has rows"), refusal);
            assertEquals(1, table().stats().estimatedPartitions());
            assertTrue(Files.exists(snapshot));
        }
    }

    /** The backup program has replaced the folder of a table, too, that had no rows then. */
    @Test
    void theOptionForAllTablesIsNamedAtOnce()
    {
        TableMetadata other = TableMetadata.builder("shop", "empty_then", TableId.generate()).partitioner(Murmur3Partitioner.instance)
                                           .addPartitionKeyColumn("p", Int32Type.instance).addRegularColumn("v", Int32Type.instance)
                                           .build();
        facts.tables.add(new StartFacts.SchemaTable(other.toString(), other.id.toString(), "cassiterite"));
        TestMemtable.put(TestMemtable.open(store, metadata), row(-1));
        String one = start();
        assertFalse(one.contains("For all"), one);
        TestMemtable.put(TestMemtable.open(store, other), row(other, -1));
        String both = start();
        assertTrue(both.endsWith("\nFor all tables whose folder has been replaced:\n" +
                                 "    -Dcassiterite.set_aside=shop.orders,shop.empty_then\n"), both);
    }

    @Test
    void whatIsNotWholeIsRefusedWithTheCommands() throws IOException
    {
        Path file = snapshot.resolve(names(snapshot).stream().filter(name -> name.endsWith(".sst")).findFirst().orElseThrow());
        byte[] bytes = Files.readAllBytes(file);
        Files.delete(file);
        String refusal = start();
        assertTrue(refusal.contains("The start does not take them in: restoring the snapshot in " + snapshot), refusal);
        assertTrue(refusal.contains("\n    mkdir -p '" + folder + "/snapshots/restored-17/.cassiterite'"), refusal);
        assertTrue(table().stats().isPristine() && Files.exists(snapshot));
        Files.write(file, bytes);
        look();
        assertNull(start());
        assertRestored();
    }

    @Test
    void theMarkOfACrashAfterTheMoveGoes() throws IOException
    {
        Path of = Path.of(DatabaseDescriptor.getNonLocalSystemKeyspacesDataFileLocations()[0], "shop", folder.getFileName().toString());
        Files.createDirectories(of);
        RestoreMark.write(of, "store", "manifest");
        facts.unreadFiles.clear();
        assertNull(start());
        assertFalse(Files.exists(of.resolve(RestoreMark.FILE_NAME)));
    }

    /** @return why the node must not start, or null */
    private String start()
    {
        Restore restore = new Restore(facts);
        Table table = table(); // a start opens it later
        String refusal = restore.refusal(store);
        return refusal == null ? restore.take(metadata, table) : refusal;
    }

    private void assertRestored() throws IOException
    {
        assertEquals(ROWS, table().stats().estimatedPartitions());
        assertEquals(List.of("snapshots"), names(folder));
    }

    private void mark(String storeId) throws IOException
    {
        String manifest = names(snapshot).stream().filter(name -> name.endsWith(".manifest")).findFirst().orElseThrow();
        RestoreMark.write(folder, storeId, manifest);
    }

    private Table table()
    {
        return store.openTable(TableSchema.request(metadata), metadata.toString());
    }

    private PartitionUpdate row(int p)
    {
        return row(metadata, p);
    }

    private static PartitionUpdate row(TableMetadata table, int p)
    {
        PartitionUpdate.SimpleBuilder update = PartitionUpdate.simpleBuilder(table, p).timestamp(1);
        update.row().add("v", p);
        return update.build();
    }

    private static List<String> names(Path folder) throws IOException
    {
        try (Stream<Path> files = Files.list(folder))
        {
            return files.map(file -> file.getFileName().toString()).sorted().collect(Collectors.toList());
        }
    }
}
