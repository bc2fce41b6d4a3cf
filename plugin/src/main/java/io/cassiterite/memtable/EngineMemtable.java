/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.ColumnFamilyStore.FlushReason;
import org.apache.cassandra.db.Directories;
import org.apache.cassandra.db.commitlog.CommitLogPosition;
import org.apache.cassandra.db.memtable.AbstractMemtableWithCommitlog;
import org.apache.cassandra.io.util.File;
import org.apache.cassandra.schema.KeyspaceMetadata;
import org.apache.cassandra.schema.TableMetadataRef;
import org.apache.cassandra.utils.concurrent.OpOrder;

import io.cassiterite.engine.Table;
import io.cassiterite.engine.TableSchema;

/** The life of an engine memtable: generations, schema, snapshots, and what it answers when asked to be flushed. */
abstract class EngineMemtable extends AbstractMemtableWithCommitlog
{
    /** Name of the engine's folder in a snapshot. */
    public static final String SNAPSHOT_FOLDER = "cassiterite";

    final MemtableStatistics statistics;

    private final Owner owner;
    private final CassiteriteFactory factory;
    private final Table table;
    private final PurgeFence fence;
    private final AtomicBoolean deleted = new AtomicBoolean();
    private final AtomicReference<TruncatedTable> truncatedBefore;
    private volatile Columns columns;
    private volatile boolean snapshotOnTruncate;
    private volatile boolean dropped;
    private volatile TruncatedTable truncated;

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
        this.truncatedBefore = new AtomicReference<>(truncatedBefore);
        this.statistics = new MemtableStatistics(table);
        this.fence = new PurgeFence(cfs(), this);
        if (table != null)
        {
            refreshColumns();
            fence.refresh();
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

    /** Must be called after data came into the table by another way than {@link #put}. */
    public void statisticsChanged()
    {
        statistics.reload();
    }

    Columns columns()
    {
        return columns;
    }

    /** Brings the engine's columns up to the present schema. */
    synchronized Columns refreshColumns()
    {
        if (columns == null || columns.metadata != metadata())
            columns = new Columns(metadata(), table.columns(TableSchema.request(metadata())));
        return columns;
    }

    Table tableToWrite()
    {
        if (table == null || deleted.get())
            throw Refusals.dropped(metadata());
        fence.attach();
        return table;
    }

    /** False if the keyspace's writes need not survive a crash. */
    boolean writesAreLogged()
    {
        ColumnFamilyStore cfs = cfs();
        KeyspaceMetadata keyspace = cfs == null ? null : cfs.keyspace.getMetadata();
        return keyspace == null || keyspace.params.durableWrites;
    }

    void purge(long gcGraceSeconds, long fenceTimestamp, long nowOffsetSeconds)
    {
        if (table != null && !deleted.get())
            table.purge(gcGraceSeconds, fenceTimestamp, nowOffsetSeconds);
    }

    // --- flushes, which there are none of

    @Override
    public boolean shouldSwitch(FlushReason reason)
    {
        fence.attach();
        switch (reason)
        {
            case TRUNCATE:
                snapshotOnTruncate = true;
                return true;
            case SCHEMA_CHANGE:
                return !factory.equals(metadata().params.memtable.factory());
            case STREAMING:
            case VALIDATION:
            case ANTICOMPACTION:
                throw Refusals.unseen(metadata(), reason);
            case USER_FORCED:
                if (table != null)
                    table.flush();
                return false;
            case STARTUP:
            case DRAIN:
            case STREAMS_RECEIVED:
            case INTERNALLY_FORCED:
                if (table != null)
                    table.store().sync();
                return false;
            default:
                return false;
        }
    }

    @Override
    public void metadataUpdated()
    {
        if (table == null || deleted.get())
            return;
        refreshColumns();
        fence.attach();
        fence.refresh();
    }

    /** Tells the engine again what it may purge, which depends on Cassandra's clock. Cheap. */
    public void refreshPurge()
    {
        fence.attach();
        fence.refresh();
    }

    @Override
    public void localRangesUpdated()
    {
    }

    @Override
    public void performSnapshot(String snapshotName)
    {
        File tableDirectory = cfs().getDirectories().getCFDirectories().get(0);
        File snapshot = Directories.getSnapshotDirectory(tableDirectory, snapshotName);
        String target = new File(snapshot, SNAPSHOT_FOLDER).absolutePath();
        boolean ofTruncate = snapshotName.startsWith(ColumnFamilyStore.SNAPSHOT_TRUNCATE_PREFIX + '-');
        TruncatedTable before = ofTruncate ? truncatedBefore.getAndSet(null) : null;
        if (before == null)
        {
            table.snapshot(target);
            return;
        }
        try
        {
            before.table.snapshot(target);
        }
        finally
        {
            before.release();
        }
    }

    // --- TRUNCATE and DROP

    /** True unless Cassandra has switched to another memtable already. */
    boolean isCurrent()
    {
        ColumnFamilyStore cfs = cfs();
        return cfs == null || cfs.getTracker() == null || cfs.getTracker().getView().getCurrentMemtable() == this;
    }

    /** Notes that another generation follows; returns this one if it must be kept for a snapshot, or null. */
    TruncatedTable markTruncated()
    {
        boolean snapshot = snapshotOnTruncate;
        truncated = new TruncatedTable(table, snapshot ? 2 : 1);
        return snapshot ? truncated : null;
    }

    void markDropped()
    {
        dropped = true;
    }

    boolean isDropped()
    {
        return dropped;
    }

    /** Deletes the table from the store; done once. */
    void deleteData()
    {
        if (table == null || !deleted.compareAndSet(false, true))
            return;
        EngineTables.remove((CassiteriteMemtable) this);
        table.store().dropTable(TableSchema.identity(metadata().id));
    }

    /** Exact, but for this: a truncated memtable is clean, and one whose TRUNCATE has yet to take its snapshot is not. */
    @Override
    public boolean isClean()
    {
        return table == null || truncated != null || truncatedBefore.get() == null && statistics.isPristine();
    }

    @Override
    public void discard()
    {
        super.discard();
        fence.detach();
        TruncatedTable before = truncatedBefore.getAndSet(null);
        if (before != null)
            before.release();
        if (truncated != null)
            truncated.release();
        if (dropped)
            deleteData();
        EngineTables.remove((CassiteriteMemtable) this);
    }

    // --- memory that indexes would add; there are no indexes

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
