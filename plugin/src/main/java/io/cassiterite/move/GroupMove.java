/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.move;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import com.google.common.util.concurrent.Uninterruptibles;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.RegularAndStaticColumns;
import org.apache.cassandra.db.compaction.AbstractCompactionStrategy.ScannerList;
import org.apache.cassandra.db.compaction.CompactionInfo;
import org.apache.cassandra.db.compaction.CompactionInterruptedException;
import org.apache.cassandra.db.compaction.CompactionManager;
import org.apache.cassandra.db.compaction.OperationType;
import org.apache.cassandra.db.lifecycle.LifecycleTransaction;
import org.apache.cassandra.db.partitions.UnfilteredPartitionIterator;
import org.apache.cassandra.db.partitions.UnfilteredPartitionIterators;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.dht.Murmur3Partitioner.LongToken;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.Clock;
import org.apache.cassandra.utils.TimeUUID;

import io.cassiterite.engine.LowPriority;
import io.cassiterite.memtable.CassiteriteMemtable;
import io.cassiterite.memtable.EngineTables;
import io.cassiterite.memtable.SnapshotLists;
import io.cassiterite.reflect.CompactionProgress;
import io.cassiterite.stream.Streams;

/**
 * Moves the rows of some sstables of a table into the engine, in the order of the ring, a chunk at a time; the sstables go when
 * all their rows are there. So every row is in one of both at any time, and who looks at sstables first and at the engine then
 * misses none. Cassandra sees a compaction, which it may stop. For one thread, and used once.
 */
final class GroupMove extends CompactionInfo.Holder
{
    private static final String CHUNK_PROPERTY = "cassiterite.move_chunk_bytes";
    /** Of rows, before compression. */
    private static final long CHUNK_BYTES = Long.getLong(CHUNK_PROPERTY, 256L << 20);
    private static final long SNAPSHOT_POLL_MS = 100;
    /** One that has failed is waited for again and again, but other tables have their turn. */
    private static final long SNAPSHOT_WAIT_NANOS = TimeUnit.MINUTES.toNanos(2);

    private final CassiteriteMemtable memtable;
    private final ColumnFamilyStore cfs;
    private final LifecycleTransaction group;
    private final Set<String> names;
    private final MoveProgress progress;
    private final MoveStatus status;
    private final BooleanSupplier isWanted;
    private final TimeUUID id = TimeUUID.Generator.nextTimeUUID();
    private final RingShare share;
    /** All partitions up to this token are in the engine; null: none. */
    private Long position;
    /** The next partition to move, open; null between scans, and behind the last. */
    private UnfilteredRowIterator next;

    /**
     * @param group    the sstables, which nothing else changes meanwhile
     * @param position all their partitions up to this token are in the engine; null: none
     * @param isWanted false ends the move at the next rows
     */
    private GroupMove(CassiteriteMemtable memtable, LifecycleTransaction group, MoveProgress progress, Long position, MoveStatus status,
              BooleanSupplier isWanted)
    {
        this.memtable = memtable;
        this.cfs = memtable.cfs();
        this.group = group;
        this.names = SstableGroup.names(group.originals());
        this.progress = progress;
        this.position = position;
        this.status = status;
        this.isWanted = isWanted;
        this.share = RingShare.of(group.originals());
    }

    /**
     * Nothing that pauses compactions, as a TRUNCATE does, comes between the choice of the sstables and the begin.
     *
     * @param group sstables of the table
     * @return null if something else has one of them, or compactions are paused; else {@link #run} must follow
     */
    static GroupMove begin(CassiteriteMemtable memtable, SstableGroup group, MoveProgress progress, Long position, MoveStatus status,
                           BooleanSupplier isWanted)
    {
        ColumnFamilyStore cfs = memtable.cfs();
        synchronized (cfs)
        {
            if (!cfs.getCompactionStrategyManager().isActive() || EngineTables.find(cfs.metadata.id) != memtable)
                return null;
            LifecycleTransaction sstables = cfs.getTracker().tryModify(group.sstables, OperationType.COMPACTION);
            if (sstables == null)
                return null;
            GroupMove move = new GroupMove(memtable, sstables, progress, position, status, isWanted);
            CompactionManager.instance.active.beginCompaction(move);
            return move;
        }
    }

    /**
     * Returns when the sstables are gone.
     *
     * @throws CompactionInterruptedException if it was stopped. After this as after any failure all sstables are there, and what
     *                                        has come into the engine of them does no harm.
     */
    void run() throws IOException
    {
        Streams.holdMergeIns(cfs.metadata.id);
        try
        {
            status.begin(share.bytes(), share.of(position));
            moveAll();
        }
        finally
        {
            CompactionManager.instance.active.finishCompaction(this);
            status.end();
            Streams.releaseMergeIns(cfs.metadata.id);
        }
    }

    private void moveAll() throws IOException
    {
        try (LifecycleTransaction sstables = group)
        {
            checkStop();
            while (!moveRows())
                checkStop();
            awaitSnapshots();
            // before the sstables: a later one may be named as one of them was
            progress.remove();
            sstables.obsoleteOriginals();
            sstables.finish();
        }
    }

    /** @return false if the schema has changed, so that the rows behind {@link #position} have to be read again */
    private boolean moveRows() throws IOException
    {
        TableMetadata metadata = cfs.metadata();
        try (ScannerList scanners = cfs.getCompactionStrategyManager().getScanners(group.originals(), left()))
        {
            if (scanners.scanners.isEmpty())
                return true;
            try (UnfilteredPartitionIterator partitions = UnfilteredPartitionIterators.merge(scanners.scanners, null))
            {
                return moveRows(partitions, metadata, new ScanThrottle(scanners));
            }
        }
    }

    private List<Range<Token>> left()
    {
        return position == null ? null : List.of(new Range<>(new LongToken(position), cfs.getPartitioner().getMinimumToken()));
    }

    private boolean moveRows(UnfilteredPartitionIterator partitions, TableMetadata metadata, ScanThrottle throttle) throws IOException
    {
        next = next(partitions);
        try
        {
            while (next != null)
            {
                Long token;
                try (MovedChunk chunk = new MovedChunk(memtable, metadata, columns(metadata), this::checkStop))
                {
                    token = LowPriority.call(() -> fill(chunk, partitions, throttle));
                    if (token == null || cfs.metadata() != metadata)
                        return false; // columns may have got other ids
                    chunk.receive();
                }
                position = token;
                progress.write(new MoveProgress.Point(names, position));
                status.moved(share.of(position));
            }
            return true;
        }
        finally
        {
            if (next != null)
                next.close();
            next = null;
        }
    }

    /** @return the token of the last partition in the chunk, all of whose others are there, too; null if the schema has changed */
    private Long fill(MovedChunk chunk, UnfilteredPartitionIterator partitions, ScanThrottle throttle)
    {
        long token;
        long bytes;
        do
        {
            token = token(next);
            UnfilteredRowIterator partition = next;
            next = null;
            bytes = chunk.append(partition, throttle);
            if (bytes == MovedChunk.SCHEMA_HAS_CHANGED)
                return null;
            next = next(partitions);
        }
        while (next != null && (bytes < CHUNK_BYTES || token(next) == token));
        return token;
    }

    /** Those of the table, and dropped ones that the sstables have. */
    private RegularAndStaticColumns columns(TableMetadata metadata)
    {
        RegularAndStaticColumns columns = metadata.regularAndStaticColumns();
        for (SSTableReader sstable : group.originals())
            if (!columns.includes(sstable.header.columns()))
                columns = columns.mergeTo(sstable.header.columns());
        return columns;
    }

    private static UnfilteredRowIterator next(UnfilteredPartitionIterator partitions)
    {
        return partitions.hasNext() ? partitions.next() : null;
    }

    private static long token(UnfilteredRowIterator partition)
    {
        return partition.partitionKey().getToken().getLongValue();
    }

    /**
     * A snapshot has the engine's rows first, then links sstables. One that has begun before the last chunk came needs these
     * sstables; all others find the rows in the engine.
     */
    private void awaitSnapshots()
    {
        long receivedNanos = Clock.Global.nanoTime();
        while (SnapshotLists.isAnyUnderWay(cfs.metadata.id, receivedNanos))
        {
            status.waitFor("a snapshot that is being taken, or has failed");
            checkStop();
            if (Clock.Global.nanoTime() - receivedNanos > SNAPSHOT_WAIT_NANOS)
                throw new CompactionInterruptedException(getCompactionInfo());
            Uninterruptibles.sleepUninterruptibly(SNAPSHOT_POLL_MS, TimeUnit.MILLISECONDS);
        }
        status.waitFor("");
    }

    private void checkStop()
    {
        if (isStopRequested() || !isWanted.getAsBoolean())
            throw new CompactionInterruptedException(getCompactionInfo());
    }

    @Override
    public CompactionInfo getCompactionInfo()
    {
        long bytes = share.bytes();
        return CompactionProgress.of(cfs.metadata(), OperationType.COMPACTION, id, bytes - status.leftBytes(), bytes,
                                     CompactionInfo.Unit.BYTES);
    }

    @Override
    public boolean isGlobal()
    {
        return false;
    }
}
