/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.UUID;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.Directories;
import org.apache.cassandra.db.Keyspace;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.io.util.DataInputBuffer;
import org.apache.cassandra.net.MessagingService;
import org.apache.cassandra.schema.KeyspaceMetadata;
import org.apache.cassandra.schema.KeyspaceParams;
import org.apache.cassandra.schema.MemtableParams;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.schema.TableMetadataRef;
import org.apache.cassandra.schema.TableParams;
import org.apache.cassandra.schema.Tables;
import org.apache.cassandra.streaming.messages.StreamMessageHeader;

import io.cassiterite.OwnJvm;
import io.cassiterite.engine.EngineException;
import io.cassiterite.engine.EngineTestAccess;
import io.cassiterite.engine.ShipmentFile;
import io.cassiterite.engine.Store;
import io.cassiterite.engine.Table;
import io.cassiterite.engine.TableSchema;
import io.cassiterite.engine.TokenRanges;
import io.cassiterite.memtable.CassiteriteMemtable;
import io.cassiterite.memtable.TestMemtable;
import io.cassiterite.memtable.TestNode;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Statistics include what a session has received, also if it fails later. */
@OwnJvm
public class EngineStreamReceiverTest
{
    private static final long TIMESTAMP = 17;
    /** The receiver takes shipments in the order of their hashes. */
    private static final UUID FIRST = new UUID(0, 1);
    private static final UUID SECOND = new UUID(0, 2);

    @BeforeAll
    static void asMuchOfANodeAsATableNeeds()
    {
        TestNode.initializeWith("memtable: {configurations: {engine: {class_name: SkipListMemtable}}}");
    }

    private static ColumnFamilyStore open()
    {
        return open(TableId.generate());
    }

    private static ColumnFamilyStore open(TableId id)
    {
        TableMetadata table = TableMetadata.builder("shop", "orders", id).addPartitionKeyColumn("p", Int32Type.instance)
                                           .addRegularColumn("v", Int32Type.instance)
                                           .params(TableParams.builder().memtable(MemtableParams.get("engine")).build()).build();
        Keyspace keyspace = Keyspace.mockKS(KeyspaceMetadata.create("shop", KeyspaceParams.local(), Tables.of(table)));
        return ColumnFamilyStore.createColumnFamilyStore(keyspace, table.name, TableMetadataRef.forOfflineTools(table),
                                                         new Directories(table), false, false, true);
    }

    @Test
    void whatWasTakenCountsWhenTheNextShipmentFails() throws Exception
    {
        ColumnFamilyStore cfs = open();
        TestSession session = new TestSession();
        try (Store sender = TestMemtable.openStore("sender"); Store store = TestMemtable.openStore("receiver"))
        {
            CassiteriteMemtable memtable = installed(cfs, opened(cfs, store));
            EngineStreamReceiver receiver = new EngineStreamReceiver(cfs, session, 3);
            session.receiver = receiver;
            receive(cfs, session, exported(cfs.metadata(), sender), ShipmentFile.Kind.ROWS);
            ShipmentFile missing = EngineTestAccess.shipmentFile("cassiterite.manifest\tmanifest\t9\t0\t0\t\t");
            receiver.shipment(new StreamHeader(missing, false, SECOND, 1, 9, List.of()));

            assertEquals(Long.MAX_VALUE, memtable.getMinTimestamp(), "none is known yet");
            assertThrows(UncheckedIOException.class, receiver::finished);
            assertNotNull(memtable.rowIterator(cfs.metadata().partitioner.decorateKey(Int32Type.instance.decompose(1))));
            assertEquals(TIMESTAMP, memtable.getMinTimestamp());
            receiver.abort();
        }
    }

    private static CassiteriteMemtable installed(ColumnFamilyStore cfs, Table generation)
    {
        CassiteriteMemtable memtable = TestMemtable.of(cfs.metadata, cfs, generation);
        TestMemtable.install(memtable);
        return memtable;
    }

    private static Table opened(ColumnFamilyStore cfs, Store store)
    {
        return store.openTable(TableSchema.request(cfs.metadata()), cfs.metadata().toString());
    }

    /** A session that has received all files, of before what the test does next. */
    private static TestSession received(ColumnFamilyStore cfs, Store sender, ShipmentFile.Kind kind) throws IOException
    {
        TestSession session = new TestSession();
        session.receiver = new EngineStreamReceiver(cfs, session, 3);
        receive(cfs, session, exported(cfs.metadata(), sender), kind);
        return session;
    }

    private static void assertRefused(TestSession session, CassiteriteMemtable now, Store store, String why)
    {
        IllegalStateException refusal = assertThrows(IllegalStateException.class, session.receiver::finished);
        assertTrue(refusal.getMessage().contains(why), refusal.getMessage());
        session.receiver.cleanup();
        assertEquals(Long.MAX_VALUE, now.getMinTimestamp(), "nothing is there, and no load goes on");
        for (Path folder : List.of(StoreFolders.incoming(store), StoreFolders.retained(store)))
            assertArrayEquals(new String[0], Objects.requireNonNullElse(folder.toFile().list(), new String[0]));
    }

    @ParameterizedTest
    @EnumSource(value = ShipmentFile.Kind.class, names = { "ROWS", "WHOLE" })
    void whatIsOfBeforeATruncateIsRefused(ShipmentFile.Kind kind) throws Exception
    {
        ColumnFamilyStore cfs = open();
        try (Store sender = TestMemtable.openStore("sender"); Store store = TestMemtable.openStore("truncated"))
        {
            CassiteriteMemtable before = installed(cfs, opened(cfs, store));
            TestSession session = received(cfs, sender, kind);
            CassiteriteMemtable after = installed(cfs, before.table().truncate());
            assertRefused(session, after, store, "was truncated during streaming");
        }
    }

    @Test
    void whatIsOfBeforeADropIsRefused() throws Exception
    {
        ColumnFamilyStore cfs = open();
        try (Store sender = TestMemtable.openStore("sender"); Store store = TestMemtable.openStore("dropped"))
        {
            installed(cfs, opened(cfs, store));
            TestSession session = received(cfs, sender, ShipmentFile.Kind.WHOLE);
            store.dropTable(TableSchema.identity(cfs.metadata.id));
            ColumnFamilyStore again = open(cfs.metadata.id);
            assertRefused(session, installed(again, opened(again, store)), store, "was dropped during streaming");
        }
    }

    /** Where the table has its next generation in the engine, but not yet here. */
    @Test
    void theEngineRefusesATruncatedGeneration() throws Exception
    {
        ColumnFamilyStore cfs = open();
        try (Store sender = TestMemtable.openStore("sender"); Store store = TestMemtable.openStore("truncating"))
        {
            CassiteriteMemtable before = installed(cfs, opened(cfs, store));
            TestSession session = received(cfs, sender, ShipmentFile.Kind.ROWS);
            Table after = before.table().truncate();
            assertEquals(EngineException.Kind.CLOSED, assertThrows(EngineException.class, session.receiver::finished).kind());
            assertRefused(session, installed(cfs, after), store, "was truncated during streaming");
        }
    }

    /** Of a clean memtable a TRUNCATE with a snapshot begins no generation: what comes after it would be taken. */
    @Test
    void anEmptyTableThatReceivesIsNotClean() throws Exception
    {
        ColumnFamilyStore cfs = open();
        try (Store store = TestMemtable.openStore("empty"))
        {
            CassiteriteMemtable memtable = installed(cfs, opened(cfs, store));
            assertTrue(memtable.isClean());
            EngineStreamReceiver receiver = new EngineStreamReceiver(cfs, new TestSession(), 1);
            assertFalse(memtable.isClean());
            receiver.abort();
            receiver.cleanup();
            assertTrue(memtable.isClean());
        }
    }

    /** A file that comes later would only be received to be refused. */
    @Test
    void aTruncateEndsTheSessionAtTheNextFile() throws Exception
    {
        ColumnFamilyStore cfs = open();
        try (Store sender = TestMemtable.openStore("sender"); Store store = TestMemtable.openStore("early"))
        {
            CassiteriteMemtable before = installed(cfs, opened(cfs, store));
            TestSession session = new TestSession();
            session.receiver = new EngineStreamReceiver(cfs, session, 3);
            installed(cfs, before.table().truncate());
            Path folder = exported(cfs.metadata(), sender);
            assertThrows(IllegalStateException.class, () -> receive(cfs, session, folder, ShipmentFile.Kind.ROWS));
        }
    }

    /** A compaction of sstables beside the engine would purge the deletion that hides one of them. */
    @Test
    void whileRowsComeTheyMayBeOfAnyAge() throws Exception
    {
        ColumnFamilyStore cfs = open();
        try (Store store = TestMemtable.openStore("loading"))
        {
            CassiteriteMemtable memtable = TestMemtable.open(store, cfs.metadata());
            memtable.statistics().beginBulkLoad();
            memtable.statistics().beginBulkLoad();
            memtable.statistics().endBulkLoad();
            assertEquals(Long.MIN_VALUE, memtable.getMinTimestamp());
            memtable.statistics().endBulkLoad();
            assertEquals(Long.MAX_VALUE, memtable.getMinTimestamp());
        }
    }

    private static Path exported(TableMetadata metadata, Store sender)
    {
        CassiteriteMemtable memtable = TestMemtable.open(sender, metadata);
        PartitionUpdate.SimpleBuilder update = PartitionUpdate.simpleBuilder(metadata, 1).timestamp(TIMESTAMP);
        update.row().add("v", 1);
        TestMemtable.put(memtable, update.build());
        Path folder = Path.of(sender.directory()).resolve("exported");
        memtable.table().export(TokenRanges.ALL, folder.toString());
        return folder;
    }

    private static void receive(ColumnFamilyStore cfs, TestSession session, Path folder, ShipmentFile.Kind kind) throws IOException
    {
        StreamMessageHeader message = new StreamMessageHeader(cfs.metadata.id, session.peer, session.planId(), false, 0, 0,
                                                              StreamHeader.MARKER, null);
        String[] names = folder.toFile().list();
        for (String name : names)
        {
            IncomingFile file = new IncomingFile(cfs, session, message);
            file.read(new DataInputBuffer(sent(folder.resolve(name), names.length, kind)), MessagingService.current_version);
            session.receiver.received(file);
        }
    }

    /** The bytes on the wire; without ranges, which need a ring. */
    private static byte[] sent(Path path, int files, ShipmentFile.Kind kindOfRows) throws IOException
    {
        byte[] bytes = Files.readAllBytes(path);
        String kind = path.toString().endsWith(".sst") ? kindOfRows.name().toLowerCase(Locale.ROOT) : "manifest";
        ShipmentFile file = EngineTestAccess.shipmentFile(path.getFileName() + "\t" + kind + "\t" + bytes.length + "\t0\t0\t\t");
        ByteArrayOutputStream sent = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(sent);
        new StreamHeader(file, false, FIRST, files, 1 << 20, List.of()).write(out);
        out.write(bytes);
        out.writeInt(Integer.reverseBytes(FileChecksum.of(path, bytes.length)));
        return sent.toByteArray();
    }
}
