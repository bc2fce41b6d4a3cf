/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.repair;

import java.io.IOException;
import java.util.Collection;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.repair.CassandraTableRepairManager;
import org.apache.cassandra.dht.Bounds;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.metrics.TopPartitionTracker;
import org.apache.cassandra.repair.NoSuchRepairSessionException;
import org.apache.cassandra.repair.TableRepairManager;
import org.apache.cassandra.repair.ValidationPartitionIterator;
import org.apache.cassandra.service.ActiveRepairService;
import org.apache.cassandra.service.ActiveRepairService.ParentRepairSession;
import org.apache.cassandra.streaming.PreviewKind;
import org.apache.cassandra.utils.TimeUUID;
import org.apache.cassandra.utils.concurrent.UncheckedInterruptedException;

import io.cassiterite.memtable.CassiteriteMemtable;
import io.cassiterite.memtable.EngineTables;
import io.cassiterite.memtable.SstablesBeside;
import io.cassiterite.node.EngineTable;

/**
 * Repair of an engine table: validation reads the engine and whatever sstables there are. Under a stock memtable everything
 * is Cassandra's own. Thread-safe.
 */
public final class EngineRepairManager implements TableRepairManager
{
    private static final Logger logger = LoggerFactory.getLogger(EngineRepairManager.class);

    private final ColumnFamilyStore cfs;
    private final TableRepairManager stock;

    public EngineRepairManager(ColumnFamilyStore cfs)
    {
        this.cfs = cfs;
        this.stock = new CassandraTableRepairManager(cfs);
    }

    @Override
    public ValidationPartitionIterator getValidationIterator(Collection<Range<Token>> ranges,
                                                             TimeUUID parentId,
                                                             TimeUUID sessionId,
                                                             boolean isIncremental,
                                                             long nowInSec,
                                                             TopPartitionTracker.Collector topPartitionCollector)
    throws IOException, NoSuchRepairSessionException
    {
        if (!EngineTable.is(cfs))
            return stock.getValidationIterator(ranges, parentId, sessionId, isIncremental, nowInSec, topPartitionCollector);
        checkKind(ActiveRepairService.instance().getParentRepairSession(parentId), sessionId, isIncremental);
        return EngineValidation.open(cfs, memtable(), ranges, parentId, sessionId, nowInSec, topPartitionCollector);
    }

    /** A coordinator with the plug-in does not ask for such a repair. */
    private void checkKind(ParentRepairSession repair, TimeUUID sessionId, boolean isIncremental)
    {
        if (isIncremental || repair.isIncremental && !repair.isPreview())
            throw refused(sessionId, "incremental repair");
        if (repair.previewKind == PreviewKind.REPAIRED)
            throw refused(sessionId, "validation of repaired data");
    }

    @Override
    public Future<?> submitValidation(Callable<Object> validation)
    {
        return stock.submitValidation(validation);
    }

    @Override
    public void incrementalSessionCompleted(TimeUUID sessionId)
    {
        stock.incrementalSessionCompleted(sessionId);
    }

    @Override
    public synchronized void snapshot(String name, Collection<Range<Token>> ranges, boolean force)
    {
        if (!EngineTable.is(cfs))
        {
            stock.snapshot(name, ranges, force);
            return;
        }
        if (!force && RepairSnapshots.exists(cfs.metadata.id, name))
            return;
        CassiteriteMemtable memtable = memtable();
        SstablesBeside.Look look = memtable.sstables().lookAtBoth();
        try (look)
        {
            snapshotSstables(name, ranges);
            RepairSnapshots.take(memtable, name, ranges);
        }
        logger.info("[repair #{}] Snapshot of {} in {} ranges", name, cfs.metadata(), ranges.size());
    }

    /** An ephemeral snapshot, as Cassandra takes it; the engine's part needs no files. */
    private void snapshotSstables(String name, Collection<Range<Token>> ranges)
    {
        Future<?> links = ActiveRepairService.instance().snapshotExecutor.submit(
            () -> cfs.snapshot(name,
                               sstable -> new Bounds<>(sstable.getFirst().getToken(), sstable.getLast().getToken()).intersects(ranges),
                               true, true));
        try
        {
            links.get();
        }
        catch (InterruptedException e)
        {
            throw new UncheckedInterruptedException(e);
        }
        catch (ExecutionException e)
        {
            throw new IllegalStateException("Unable to take snapshot " + name + " of " + cfs.metadata(), e.getCause());
        }
    }

    private CassiteriteMemtable memtable()
    {
        CassiteriteMemtable memtable = EngineTables.find(cfs.metadata.id);
        if (memtable == null)
            throw new IllegalStateException(cfs.metadata() + " is not open in the engine");
        return memtable;
    }

    private UnsupportedOperationException refused(TimeUUID session, String what)
    {
        String message = String.format("[repair #%s] %s is a Cassiterite table: %s is refused, because rows in the engine are " +
                                       "never marked repaired", session, cfs.metadata(), what);
        logger.error(message);
        return new UnsupportedOperationException(message);
    }
}
