/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.ToIntFunction;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.ColumnFamilyStore.FlushReason;
import org.apache.cassandra.db.commitlog.CommitLogPosition;
import org.apache.cassandra.db.memtable.AbstractMemtableWithCommitlog;
import org.apache.cassandra.io.FSError;
import org.apache.cassandra.io.sstable.CorruptSSTableException;
import org.apache.cassandra.io.util.File;
import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.schema.KeyspaceMetadata;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.schema.TableMetadataRef;
import org.apache.cassandra.utils.NoSpamLogger;
import org.apache.cassandra.utils.concurrent.OpOrder;

import io.cassiterite.engine.EngineException;
import io.cassiterite.engine.Table;
import io.cassiterite.engine.TableSchema;
import io.cassiterite.node.GuardedNode;

/** The life of an engine memtable: generations, schema, snapshots, and what it answers when asked to be flushed. */
abstract class EngineMemtable extends AbstractMemtableWithCommitlog
{
    private static final Logger logger = LoggerFactory.getLogger(EngineMemtable.class);
    private static final NoSpamLogger RARE = NoSpamLogger.getLogger(logger, 1, TimeUnit.MINUTES);

    /**
     * One for all memtables: the two generations of a TRUNCATE share their columns, and the engine hides those that a
     * request lacks.
     */
    private static final Object SCHEMA_LOCK = new Object();

    final MemtableStatistics statistics;

    private final Owner owner;
    private final CassiteriteFactory factory;
    private final Table table;
    private final MaxPurgeableTimestamp maxPurgeable;
    private final Truncation truncation;
    private final SstablesBeside sstables;
    private volatile Columns columns;
    private final TableDrop drop = new TableDrop(this::delete);

    /**
     * @param table           the generation to keep rows in; null if the table is being dropped
     * @param truncatedBefore the generation before this one, while TRUNCATE wants a snapshot of it; or null
     */
    EngineMemtable(AtomicReference<CommitLogPosition> commitLogLowerBound, TableMetadataRef metadata, Owner owner,
                   CassiteriteFactory factory, Table table, TruncatedTable truncatedBefore)
    {
        super(metadata, commitLogLowerBound);
        this.owner = owner;
        this.factory = factory;
        this.table = table;
        this.truncation = new Truncation(cfs(), table, truncatedBefore);
        this.sstables = new SstablesBeside(cfs());
        this.statistics = new MemtableStatistics(table);
        this.maxPurgeable = new MaxPurgeableTimestamp(cfs(), this);
        if (table != null)
        {
            refreshColumns();
            maxPurgeable.refresh();
        }
    }

    /** The generation that rows are kept in; null if the table is being dropped. */
    public Table table()
    {
        return table;
    }

    public Owner owner()
    {
        return owner;
    }

    /** The table's store of sstables, null if something else owns this memtable. */
    public ColumnFamilyStore cfs()
    {
        return owner instanceof ColumnFamilyStore ? (ColumnFamilyStore) owner : null;
    }

    /** Whoever brings data into the table by another way than {@link #put} tells them. */
    public MemtableStatistics statistics()
    {
        return statistics;
    }

    public SstablesBeside sstables()
    {
        return sstables;
    }

    Columns columns()
    {
        return columns;
    }

    /** The ids of the present schema's columns, {@link Columns#NONE} for others; null while the engine lacks that schema. */
    public ToIntFunction<ColumnMetadata> columnIds()
    {
        Columns present = columns;
        return present == null || present.metadata != metadata() ? null : column -> present.id(column, 0);
    }

    /** The schema for the engine. For a memtable without an owner, as in tests, it lacks the ages of columns. */
    static byte[] schemaRequest(TableMetadata metadata, Owner owner)
    {
        return owner instanceof ColumnFamilyStore ? TableSchema.request(metadata, ColumnAges.of(metadata))
                                                  : TableSchema.request(metadata);
    }

    /** Brings the engine's columns up to the present schema. */
    Columns refreshColumns()
    {
        synchronized (SCHEMA_LOCK)
        {
            TableMetadata present = metadata();
            if (columns == null || columns.metadata != present)
                columns = new Columns(present, table.columns(schemaRequest(present, owner)));
            return columns;
        }
    }

    Table tableToWrite()
    {
        if (table == null || drop.isDone())
            throw Refusals.dropped(metadata());
        if (statistics.isSealed())
            throw Refusals.leaving(metadata());
        maxPurgeable.attach();
        return table;
    }

    /** False if the keyspace's writes need not survive a crash. */
    boolean writesAreLogged()
    {
        ColumnFamilyStore cfs = cfs();
        KeyspaceMetadata keyspace = cfs == null ? null : cfs.keyspace.getMetadata();
        return keyspace == null || keyspace.params.durableWrites;
    }

    /** The barrier before a row; null if none is needed. */
    CommitLogBarrier commitLogBarrier()
    {
        return cfs() == null ? null : CommitLogBarrier.of(factory);
    }

    /** A position is given if some of the mutation is in the commit log: this part of it, or one for stock tables. */
    @Override
    public boolean accepts(OpOrder.Group opGroup, CommitLogPosition position)
    {
        boolean accepted = super.accepts(opGroup, position);
        if (accepted && position != null && cfs() != null)
            LoggedWrite.precede(cfs(), commitLogBarrier(), position);
        return accepted;
    }

    void purge(long gcGraceSeconds, long maxPurgeableTimestamp, long nowOffsetSeconds)
    {
        if (table != null && !drop.isDone())
            table.purge(gcGraceSeconds, maxPurgeableTimestamp, nowOffsetSeconds);
    }

    // --- requests to flush: rows never leave the engine

    @Override
    public boolean shouldSwitch(FlushReason reason)
    {
        maxPurgeable.attach();
        switch (reason)
        {
            case TRUNCATE:
                truncation.begin();
                return true;
            case SCHEMA_CHANGE:
                EngineTables.changes(this);
                return !factory.isOfSameStore(metadata().params.memtable.factory());
            case STREAMING:
                ensureSeen(reason);
                return false;
            case VALIDATION:
            case ANTICOMPACTION:
                throw Refusals.unseen(metadata(), reason);
            case USER_FORCED:
                if (table != null)
                    table.flush();
                return false;
            case DRAIN:
                if (table != null)
                    syncLast();
                return false;
            case STARTUP:
            case STREAMS_RECEIVED:
            case INTERNALLY_FORCED:
                if (table != null)
                    table.store().sync();
                return false;
            default:
                return false;
        }
    }

    /** A failure must not prevent the drain of other tables, hints and the commit log. */
    private void syncLast()
    {
        try
        {
            table.store().sync();
        }
        catch (EngineException | FSError e)
        {
            logger.error("The log of {} is not synced; the rest of the node is drained", metadata(), e);
        }
    }

    /** Cassandra uses the table's stream manager next: it must be the plug-in's by now. */
    private void ensureSeen(FlushReason reason)
    {
        ColumnFamilyStore cfs = cfs();
        if (cfs == null || !GuardedNode.life().ensurePatched(cfs))
            throw Refusals.unseen(metadata(), reason);
    }

    @Override
    public void metadataUpdated()
    {
        if (table == null || drop.isDone())
            return;
        updateColumns();
        maxPurgeable.attach();
        maxPurgeable.refresh();
    }

    /**
     * A failure must leave neither this schema change half applied nor other tables without theirs. A write that needs
     * a column tries again.
     */
    private void updateColumns()
    {
        try
        {
            refreshColumns();
        }
        catch (EngineException | FSError | CorruptSSTableException e)
        {
            RARE.error("The engine does not have the present columns of {}; this is tried again every second", metadata(), e);
        }
    }

    /** Updates what the engine may purge, which depends on Cassandra's clock, and its columns if that failed before. Cheap. */
    public void catchUp()
    {
        if (table != null && !drop.isDone() && columns.metadata != metadata())
            updateColumns();
        maxPurgeable.attach();
        maxPurgeable.refresh();
    }

    @Override
    public void localRangesUpdated()
    {
        EngineTables.changes(this);
    }

    @Override
    public void performSnapshot(String snapshotName)
    {
        File folder = SnapshotLists.folder(cfs(), snapshotName);
        SnapshotLists.taking(cfs(), snapshotName, folder, () -> {
            if (!snapshotName.startsWith(ColumnFamilyStore.SNAPSHOT_TRUNCATE_PREFIX + '-') || !snapshotTruncated(folder))
            {
                SnapshotPosition.writeIfLogged(metadata(), folder.parent().toPath());
                table.snapshot(folder.absolutePath());
            }
        });
    }

    /** Takes the snapshots that TRUNCATE owes; false if there are none. */
    boolean snapshotTruncated(File folder)
    {
        return truncation.takeSnapshots(folder);
    }

    // --- TRUNCATE and DROP

    /** True unless Cassandra has switched to another memtable already. */
    boolean isCurrent()
    {
        ColumnFamilyStore cfs = cfs();
        return cfs == null || cfs.getTracker() == null || cfs.getTracker().getView().getCurrentMemtable() == this;
    }

    /** Records that another generation follows; returns what that one must retain for a snapshot, or null. */
    TruncatedTable markTruncated()
    {
        return truncation.replace();
    }

    /** A TRUNCATE has begun and failed; the memtable keeps its rows. */
    void truncationFailed()
    {
        truncation.fail();
    }

    TableDrop drop()
    {
        return drop;
    }

    private void delete()
    {
        if (table != null)
            table.store().dropTable(TableSchema.identity(metadata().id));
        EngineTables.remove((CassiteriteMemtable) this);
    }

    /**
     * Exact, with four exceptions: a truncated memtable is clean; one whose TRUNCATE has yet to take its snapshot is not, nor one
     * that receives, or has sstables beside it, whose rows may be on their way: TRUNCATE begins a generation, a snapshot waits for them.
     */
    @Override
    public boolean isClean()
    {
        return table == null || truncation.isReplaced() || !truncation.owesSnapshots() && !sstables.isAny() && statistics.isPristine();
    }

    @Override
    public void discard()
    {
        super.discard();
        maxPurgeable.detach();
        truncation.discard();
        drop.release();
        EngineTables.remove((CassiteriteMemtable) this);
    }

    // --- memory that indexes add to stock memtables; those of the engine add none

    @Override
    public void markExtraOnHeapUsed(long additionalSpace, OpOrder.Group opGroup)
    {
    }

    @Override
    public void markExtraOffHeapUsed(long additionalSpace, OpOrder.Group opGroup)
    {
    }

    // --- sizes

    @Override
    public long partitionCount()
    {
        return statistics.partitions();
    }

    @Override
    public long getLiveDataSize()
    {
        return statistics.memoryBytes();
    }

    @Override
    public void addMemoryUsageTo(MemoryUsage usage)
    {
        usage.ownsOffHeap += statistics.memoryBytes();
    }

    @Override
    public long operationCount()
    {
        return statistics.operations();
    }

    @Override
    public long getMinTimestamp()
    {
        return statistics.smallestTimestamp();
    }

    /** Zero: the engine does not know, and a bound that is too small only delays a purge. */
    @Override
    public long getMinLocalDeletionTime()
    {
        return 0;
    }
}
