/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.lifecycle;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.io.util.File;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.service.CacheService;

import io.cassiterite.engine.EngineException;
import io.cassiterite.engine.Store;
import io.cassiterite.engine.Table;
import io.cassiterite.engine.TableFiles;
import io.cassiterite.engine.TableStats;
import io.cassiterite.engine.TokenRanges;
import io.cassiterite.engine.Verified;
import io.cassiterite.frontdoor.FrontDoor;
import io.cassiterite.frontdoor.FrontDoorMode;
import io.cassiterite.frontdoor.desk.QuorumReads;
import io.cassiterite.frontdoor.desk.WriteMode;
import io.cassiterite.index.IndexedBulkLoad;
import io.cassiterite.memtable.CassiteriteMemtable;
import io.cassiterite.memtable.EngineTables;
import io.cassiterite.memtable.MemtableStatistics;
import io.cassiterite.move.Exports;
import io.cassiterite.move.Leaving;
import io.cassiterite.move.Mover;
import io.cassiterite.node.Direction;
import io.cassiterite.node.EngineControl;
import io.cassiterite.node.NodeStore;
import io.cassiterite.node.StoreReport;

/** The engine of this node: its store and the tables that are open in it. */
final class NodeEngine implements EngineControl
{
    private static final Logger logger = LoggerFactory.getLogger(NodeEngine.class);

    private final AutomaticCompaction automaticCompaction = new AutomaticCompaction();
    private volatile boolean closing;

    /** The store is about to be closed: from now on {@link #isOpen} is false. */
    void closing()
    {
        closing = true;
    }

    @Override
    public boolean isOpen()
    {
        return !closing && NodeStore.getIfOpen() != null;
    }

    @Override
    public String version()
    {
        return Store.version();
    }

    @Override
    public String memoryBudget()
    {
        return StoreReport.parse(report("settings")).rows.stream()
                          .filter(row -> row.get("name").equals("block_cache_size") || row.get("name").equals("write_buffers_total"))
                          .map(row -> row.get("name") + ' ' + row.get("value"))
                          .collect(Collectors.joining(", "));
    }

    @Override
    public File storeDirectory()
    {
        return new File(store().directory());
    }

    @Override
    public Map<String, String> options()
    {
        return NodeStore.parameters();
    }

    @Override
    public String report(String topic)
    {
        return store().report(topic);
    }

    @Override
    public String backgroundError()
    {
        return store().error();
    }

    @Override
    public void resume()
    {
        store().resume();
    }

    @Override
    public void stopCompactions()
    {
        store().stopCompactions();
    }

    @Override
    public void set(Map<String, String> options)
    {
        store().set(options);
        String frontDoor = options.get(FrontDoor.PARAMETER);
        if (frontDoor != null)
            FrontDoor.instance.change(FrontDoorMode.named(frontDoor));
        String responses = options.get(FrontDoor.RESPONSES);
        if (responses != null)
            FrontDoor.instance.changeResponses(responses);
        String verdicts = options.get(FrontDoor.VERDICTS);
        if (verdicts != null)
            FrontDoor.instance.changeVerdicts(verdicts);
        String tls = options.get(FrontDoor.TLS);
        if (tls != null)
            FrontDoor.instance.changeTls(tls);
        String writes = options.get(FrontDoor.WRITES);
        if (writes != null)
            FrontDoor.instance.changeWrites(WriteMode.named(writes));
        String quorumReads = options.get(FrontDoor.QUORUM_READS);
        if (quorumReads != null)
            FrontDoor.instance.changeQuorumReads(QuorumReads.named(quorumReads));
    }

    @Override
    public TableStats stats(TableMetadata table)
    {
        return figures(table, Table::stats);
    }

    @Override
    public TableFiles files(TableMetadata table)
    {
        return figures(table, Table::files);
    }

    private static <T> T figures(TableMetadata table, Function<Table, T> read)
    {
        CassiteriteMemtable memtable = EngineTables.find(table.id);
        if (memtable == null || memtable.table() == null)
            return null;
        try
        {
            return read.apply(memtable.table());
        }
        catch (EngineException e)
        {
            // just dropped, or the store has just been closed
            if (e.kind() == EngineException.Kind.CLOSED)
                return null;
            throw e;
        }
    }

    @Override
    public Verified verify(ColumnFamilyStore cfs, Verified.Depth depth, Collection<Range<Token>> ranges)
    {
        return table(cfs).verify(depth, TokenRanges.of(ranges));
    }

    @Override
    public void stopVerification(ColumnFamilyStore cfs)
    {
        figures(cfs.metadata(), table -> {
            table.stopVerification();
            return null;
        });
    }

    @Override
    public long[] verifiedBytes(ColumnFamilyStore cfs)
    {
        return figures(cfs.metadata(), Table::verifiedBytes);
    }

    @Override
    public void flush(ColumnFamilyStore cfs)
    {
        table(cfs).flush();
    }

    @Override
    public void compact(ColumnFamilyStore cfs)
    {
        table(cfs).compact();
    }

    @Override
    public long compactAutomatically(ColumnFamilyStore cfs, boolean isOn)
    {
        return table(cfs).compactAutomatically(isOn);
    }

    @Override
    public void followCompactionSwitch(ColumnFamilyStore cfs)
    {
        CassiteriteMemtable memtable = EngineTables.find(cfs.metadata.id);
        if (memtable != null && memtable.table() != null)
            automaticCompaction.follow(cfs, this);
    }

    @Override
    public void cleanup(ColumnFamilyStore cfs, Collection<Range<Token>> ranges)
    {
        // native threads must not take a removed range for an empty one
        FrontDoor.instance.conditionsChanged();
        table(cfs).cleanup(TokenRanges.of(ranges));
        // otherwise a cached row could be read again when its range returns
        cfs.cleanupCache();
    }

    @Override
    public void stopCleanup(ColumnFamilyStore cfs)
    {
        table(cfs).stopCleanup();
    }

    @Override
    public void snapshot(ColumnFamilyStore cfs, String name)
    {
        memtable(cfs.metadata.id).performSnapshot(name);
    }

    @Override
    public long load(ColumnFamilyStore cfs, String directory)
    {
        AtomicLong loaded = new AtomicLong();
        MemtableStatistics statistics = memtable(cfs.metadata.id).statistics();
        statistics.beginBulkLoad();
        try
        {
            IndexedBulkLoad.take(cfs, IndexedBulkLoad.everywhere(), () -> loaded.set(table(cfs).load(directory)));
            return loaded.get();
        }
        finally
        {
            // some rows may be in the table even if the load failed
            CassiteriteMemtable memtable = EngineTables.find(cfs.metadata.id);
            if (memtable != null) // it has not been dropped meanwhile
                memtable.statistics().reload();
            statistics.endBulkLoad();
            // the rows bypassed the write path, which would have invalidated cached rows
            CacheService.instance.invalidateRowCacheForCf(cfs.metadata());
            if (cfs.metadata().isCounter())
                CacheService.instance.invalidateCounterCacheForCf(cfs.metadata());
        }
    }

    @Override
    public void direct(ColumnFamilyStore cfs, Direction direction)
    {
        if (!isOpen())
            throw new IllegalStateException("the node has been drained");
        if (direction == Direction.OUT)
            Leaving.checkIndexes(cfs.metadata());
        try
        {
            TableEntry.direct(cfs, store(), direction);
        }
        catch (IOException e)
        {
            throw new UncheckedIOException(e);
        }
        Mover.instance.directed(cfs.metadata.id);
        logger.info("{}: {}", cfs.metadata(), direction.text());
    }

    @Override
    public void export(ColumnFamilyStore cfs, String directory)
    {
        if (!isOpen())
            throw new IllegalStateException("the node has been drained");
        List<String> taken = new ArrayList<>(List.of(DatabaseDescriptor.getAllDataFileLocations()));
        taken.addAll(Arrays.asList(DatabaseDescriptor.getCommitLogLocation(), DatabaseDescriptor.getSavedCachesLocation(),
                                   DatabaseDescriptor.getHintsDirectory().path(), DatabaseDescriptor.getCDCLogLocation(),
                                   store().directory(), options().get("wal_directory")));
        Exports.instance.begin(cfs, directory, taken);
        logger.info("{} is to be exported to {}", cfs.metadata(), directory);
    }

    @Override
    public void catchUp(ColumnFamilyStore cfs)
    {
        CassiteriteMemtable memtable = EngineTables.find(cfs.metadata.id);
        if (memtable != null)
            memtable.catchUp();
    }

    private static Store store()
    {
        Store store = NodeStore.getIfOpen();
        if (store == null)
            throw new IllegalStateException("the engine's store is not open");
        return store;
    }

    private static Table table(ColumnFamilyStore cfs)
    {
        Table table = memtable(cfs.metadata.id).table();
        if (table == null)
            throw new IllegalStateException(cfs.metadata() + " is being dropped");
        return table;
    }

    private static CassiteriteMemtable memtable(TableId id)
    {
        CassiteriteMemtable memtable = EngineTables.find(id);
        if (memtable == null)
            throw new IllegalStateException("there is no table in the engine with id " + id);
        return memtable;
    }
}
