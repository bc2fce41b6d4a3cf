/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.db.ColumnFamilyStore.FlushReason;
import org.apache.cassandra.db.commitlog.CommitLogPosition;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.index.transactions.UpdateTransaction;
import org.apache.cassandra.io.util.File;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.schema.TableMetadataRef;
import org.apache.cassandra.utils.concurrent.OpOrder;

import io.cassiterite.engine.EngineException;
import io.cassiterite.engine.Store;
import io.cassiterite.engine.Table;
import io.cassiterite.engine.TableSchema;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The automatic snapshots of TRUNCATE have the rows, also when two of them overlap or one fails. */
class TruncateTest
{
    private static final Pattern NUMBER = Pattern.compile("\\d{6,}");
    private static final OpOrder ORDER = new OpOrder();
    private static Store store;
    private static Path directory;

    private final TableMetadata metadata = TableMetadata.builder("ks", "t", TableId.generate())
                                                        .partitioner(Murmur3Partitioner.instance)
                                                        .addPartitionKeyColumn("p", Int32Type.instance)
                                                        .addRegularColumn("v", Int32Type.instance)
                                                        .build();

    @BeforeAll
    static void open()
    {
        directory = TestNode.initialize().resolve("truncate-" + System.nanoTime()).toAbsolutePath();
        store = Store.open(Map.of(Store.DIRECTORY, directory.resolve("store").toString(), "node.commitlog_sync", "periodic"));
    }

    @AfterAll
    static void close()
    {
        if (store != null)
            store.close();
    }

    private CassiteriteMemtable memtable(Table table, TruncatedTable before)
    {
        return new CassiteriteMemtable(new AtomicReference<>(CommitLogPosition.NONE), TableMetadataRef.forOfflineTools(metadata),
                                       null, new CassiteriteFactory(new HashMap<>()), table, before);
    }

    private CassiteriteMemtable first()
    {
        return memtable(store.openTable(TableSchema.request(metadata), "ks.t"), null);
    }

    /** What Cassandra's forced flush does for a TRUNCATE with a snapshot. */
    private CassiteriteMemtable truncate(CassiteriteMemtable memtable)
    {
        assertTrue(memtable.shouldSwitch(FlushReason.TRUNCATE));
        Table empty = memtable.table().truncate();
        CassiteriteMemtable next = memtable(empty, memtable.markTruncated());
        memtable.switchOut(ORDER.newBarrier(), new AtomicReference<>(CommitLogPosition.NONE));
        memtable.discard();
        return next;
    }

    private void write(CassiteriteMemtable memtable, int p)
    {
        PartitionUpdate.SimpleBuilder update = PartitionUpdate.simpleBuilder(metadata, p).timestamp(1);
        update.row().add("v", p);
        try (OpOrder.Group group = ORDER.start())
        {
            memtable.put(update.build(), UpdateTransaction.NO_OP, group);
        }
    }

    private boolean has(CassiteriteMemtable memtable, int p)
    {
        return memtable.rowIterator(Murmur3Partitioner.instance.decorateKey(Int32Type.instance.decompose(p))) != null;
    }

    private static File folder(String name) throws Exception
    {
        return new File(Files.createDirectories(directory.resolve(name)), "engine");
    }

    @Test
    void anOverlappingTruncateTakesBothSnapshots() throws Exception
    {
        CassiteriteMemtable memtable = first();
        write(memtable, 1);
        memtable = truncate(memtable);
        write(memtable, 2);
        memtable = truncate(memtable);
        assertFalse(memtable.isClean());

        File snapshot = folder("overlapping");
        assertTrue(memtable.snapshotTruncated(snapshot));
        assertFalse(memtable.snapshotTruncated(snapshot));
        assertTrue(memtable.isClean());
        assertEquals(1, memtable.table().load(snapshot.absolutePath()));
        assertTrue(has(memtable, 1));
        assertFalse(has(memtable, 2));
        memtable.table().load(snapshot.absolutePath() + "-2");
        assertTrue(has(memtable, 2));
    }

    @Test
    void aTruncateWithoutASnapshotOwesNoneAfterOneThatFailed()
    {
        CassiteriteMemtable memtable = first();
        write(memtable, 1);
        assertTrue(memtable.shouldSwitch(FlushReason.TRUNCATE));
        memtable.truncationFailed();
        assertTrue(has(memtable, 1));
        CassiteriteMemtable next = memtable(memtable.table().truncate(), memtable.markTruncated());
        assertTrue(next.isClean(), "nothing is kept for a snapshot");
    }

    /** Folders that stand where RocksDB would create its next files of options: a flush beside them succeeds. */
    private static List<Path> takeNamesOfOptions() throws Exception
    {
        Path files = directory.resolve("store").resolve("db");
        long newest;
        try (Stream<Path> names = Files.list(files))
        {
            newest = names.map(path -> NUMBER.matcher(path.getFileName().toString()))
                          .filter(Matcher::find)
                          .mapToLong(number -> Long.parseLong(number.group()))
                          .max()
                          .orElseThrow();
        }
        List<Path> taken = new ArrayList<>();
        for (long number = newest + 1; number <= newest + 100; number++)
            taken.add(Files.createDirectory(files.resolve(String.format("OPTIONS-%06d.dbtmp", number))));
        return taken;
    }

    /** RocksDB then fails to write its options, though it has taken them. */
    @Test
    void aDeviceThatIsFullRightAfterATruncateLosesNoWrite() throws Exception
    {
        CassiteriteMemtable memtable = first();
        write(memtable, 1);
        Table empty = memtable.table().truncate();
        TruncatedTable truncated = memtable.markTruncated();
        List<Path> taken = takeNamesOfOptions();
        CassiteriteMemtable next;
        try
        {
            next = memtable(empty, truncated);
        }
        finally
        {
            for (Path name : taken)
                Files.delete(name);
        }
        write(next, 2);
        assertTrue(has(next, 2));
        assertFalse(has(next, 1));
    }

    @Test
    void afterAFailedSnapshotTheNextTruncateStillHasTheRows() throws Exception
    {
        CassiteriteMemtable memtable = first();
        write(memtable, 1);
        memtable = truncate(memtable);

        CassiteriteMemtable failing = memtable;
        File existing = folder("failing");
        Files.createDirectories(existing.toPath());
        assertThrows(EngineException.class, () -> failing.snapshotTruncated(existing));
        assertFalse(memtable.isClean());

        memtable = truncate(memtable);
        File snapshot = folder("again");
        assertTrue(memtable.snapshotTruncated(snapshot));
        memtable.table().load(snapshot.absolutePath());
        assertTrue(has(memtable, 1));
    }

    @Test
    void aGenerationOfADroppedTableIsReleasedInSilence()
    {
        CassiteriteMemtable memtable = first();
        write(memtable, 1);
        CassiteriteMemtable next = truncate(memtable);
        store.dropTable(TableSchema.identity(metadata.id));
        next.switchOut(ORDER.newBarrier(), new AtomicReference<>(CommitLogPosition.NONE));
        next.discard();
    }

    @Test
    void whatComesTooLateForAClosedTableIsNoError()
    {
        CassiteriteMemtable memtable = first();
        store.dropTable(TableSchema.identity(metadata.id));
        Logger logger = (Logger) LoggerFactory.getLogger(MaxPurgeableTimestamp.class);
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        logger.addAppender(log);
        try
        {
            memtable.catchUp();
        }
        finally
        {
            logger.detachAppender(log);
        }
        assertEquals(List.of(), log.list);
    }
}
