/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.move;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import com.google.common.util.concurrent.Uninterruptibles;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.DataRange;
import org.apache.cassandra.db.compaction.CompactionInfo;
import org.apache.cassandra.db.compaction.CompactionInterruptedException;
import org.apache.cassandra.db.compaction.CompactionManager;
import org.apache.cassandra.db.compaction.OperationType;
import org.apache.cassandra.db.filter.ColumnFilter;
import org.apache.cassandra.db.partitions.UnfilteredPartitionIterator;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.io.sstable.SSTableReadsListener;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.FBUtilities;
import org.apache.cassandra.utils.Throwables;
import org.apache.cassandra.utils.TimeUUID;

import io.cassiterite.engine.DepartingRows;
import io.cassiterite.engine.EngineException;
import io.cassiterite.engine.LowPriority;
import io.cassiterite.memtable.CassiteriteMemtable;
import io.cassiterite.memtable.EngineTables;
import io.cassiterite.reflect.CompactionProgress;
import io.cassiterite.stream.Streams;

/**
 * The rows that the engine has of a table when this begins leave it for sstables, while the table is used. They are written to
 * sstables that nobody sees; these become the table's; reads that do not see them end; and then the engine forgets the rows, all at
 * once. So they are in the engine or in sstables at any moment, and in both for a short one, which does no harm.
 */
final class Departure extends CompactionInfo.Holder
{
    private static final Logger logger = LoggerFactory.getLogger(Departure.class);

    private static final long POLL_MS = 50;

    private final CassiteriteMemtable memtable;
    private final ColumnFamilyStore cfs;
    private final DepartingRows rows;
    private final MoveStatus status;
    private final BooleanSupplier isWanted;
    private final TimeUUID id = TimeUUID.Generator.nextTimeUUID();
    private volatile long bytes;
    private boolean isAnnounced;

    private Departure(CassiteriteMemtable memtable, MoveStatus status, BooleanSupplier isWanted)
    {
        this.memtable = memtable;
        this.cfs = memtable.cfs();
        this.rows = new DepartingRows(memtable.table());
        this.status = status;
        this.isWanted = isWanted;
    }

    /**
     * @param isWanted false ends it at the next rows
     * @return null if compactions are paused, as by a TRUNCATE; else {@link #run} must follow
     */
    static Departure begin(CassiteriteMemtable memtable, MoveStatus status, BooleanSupplier isWanted)
    {
        Departure departure = new Departure(memtable, status, isWanted);
        synchronized (departure.cfs)
        {
            if (!departure.isPresent())
                return null;
            CompactionManager.instance.active.beginCompaction(departure);
            return departure;
        }
    }

    /** Under Cassandra's lock for TRUNCATE and what else pauses compactions, which has ended then. */
    private boolean isPresent()
    {
        return cfs.isValid() && cfs.getCompactionStrategyManager().isActive() && EngineTables.find(cfs.metadata.id) == memtable;
    }

    /**
     * Returns when the engine has none of these rows any more.
     *
     * @param restBytes so many may stay
     * @throws CompactionInterruptedException if it was stopped. After this as after any failure the engine has the rows.
     */
    void run(long restBytes)
    {
        Streams.holdMergeIns(cfs.metadata.id);
        try
        {
            Leaving.checkIndexes(cfs.metadata());
            // before anything is set aside: without room that would be done again and again
            long baseBytes = rows.baseBytes();
            SstableRoom.check(cfs, rows.besideBytes() + (baseBytes > restBytes ? baseBytes : 0));
            whenNotBusy(() -> bytes = rows.begin(restBytes));
            if (bytes > 0)
                depart();
        }
        finally
        {
            CompactionManager.instance.active.finishCompaction(this);
            status.end();
            status.waitFor("");
            Throwable failure = Throwables.perform((Throwable) null, this::end);
            // before a merge-in dissolves what tells whether the engine has the rows
            if (isAnnounced && failure == null)
                failure = Throwables.perform((Throwable) null, () -> TakingBack.run(memtable));
            Streams.releaseMergeIns(cfs.metadata.id);
            if (failure != null)
                logger.warn("What was set aside of {} cannot be taken back before the next start", cfs.metadata(), failure);
        }
    }

    private void end()
    {
        try
        {
            rows.end();
        }
        catch (EngineException e)
        {
            if (e.kind() != EngineException.Kind.CLOSED)
                throw e;
        }
    }

    private void depart()
    {
        status.begin(bytes, 0);
        try (UnseenSstables sstables = write())
        {
            announce(sstables);
            publish(sstables);
        }
        awaitReads();
        whenNotBusy(this::forget);
    }

    /** From here on the sstables can be taken back, whenever this ends. */
    private void announce(UnseenSstables sstables)
    {
        if (sstables.sstables().isEmpty())
            return;
        try
        {
            TakingBack.round(memtable).write(new PublishedRound.Content(rows.familiesBeside(),
                                                                        SstableGroup.names(sstables.sstables())));
        }
        catch (IOException e)
        {
            throw new UncheckedIOException(e);
        }
        isAnnounced = true;
    }

    private UnseenSstables write()
    {
        TableMetadata metadata = cfs.metadata();
        checkColumns(metadata);
        UnseenSstables sstables = new UnseenSstables(memtable, metadata, SstableSizes.of(cfs, bytes));
        boolean isWritten = false;
        try (UnfilteredPartitionIterator partitions = memtable.partitionIterator(ColumnFilter.all(metadata),
                                                                                 DataRange.allData(metadata.partitioner),
                                                                                 SSTableReadsListener.NOOP_LISTENER))
        {
            checkColumns(metadata);
            LowPriority.run(() -> write(partitions, sstables));
            sstables.finish();
            isWritten = true;
            return sstables;
        }
        finally
        {
            if (!isWritten)
                sstables.close();
        }
    }

    private void write(UnfilteredPartitionIterator partitions, UnseenSstables sstables)
    {
        RingShare share = RingShare.ofRing(bytes);
        DepartureThrottle throttle = new DepartureThrottle(sstables, partition -> {
            checkStop();
            status.moved(share.of(partition.partitionKey().getToken().getLongValue()));
        });
        checkStop();
        while (partitions.hasNext())
            try (UnfilteredRowIterator partition = partitions.next())
            {
                UnfilteredRowIterator throttled = throttle.of(partition);
                if (!throttled.isEmpty())
                    sstables.append(throttled);
            }
    }

    /** A column that the scan does not know would be lost. It knows all that are in use now, and what departs has no later ones. */
    private void checkColumns(TableMetadata metadata)
    {
        if (cfs.metadata() != metadata || memtable.columnIds() == null)
            throw new CompactionInterruptedException(getCompactionInfo());
    }

    /** A TRUNCATE, or DROP, before this refuses it, and one after it finds the sstables. */
    private void publish(UnseenSstables sstables)
    {
        synchronized (cfs)
        {
            checkStop();
            if (!isPresent())
                throw new CompactionInterruptedException(getCompactionInfo());
            sstables.publish();
            // it has begun meanwhile, and waits for this lock: whatever it takes these for, the engine has their rows
            if (EngineTables.find(cfs.metadata.id) != memtable && !sstables.sstables().isEmpty() && cfs.isValid())
                cfs.markObsolete(sstables.sstables(), OperationType.WRITE);
        }
        Throwables.maybeFail(cfs.getTracker().dropSSTablesIfInvalid(null));
        logger.info("{}: {} sstables ({}) have rows of the engine, which forgets them next", cfs.metadata(), sstables.sstables().size(),
                    FBUtilities.prettyPrintMemory(sstables.bytes()));
    }

    /** Those that have begun without the sstables read the rows in the engine. */
    private void awaitReads()
    {
        Thread waiting = new Thread(cfs.readOrdering::awaitNewBarrier, "cassiterite-last-reads");
        waiting.setDaemon(true);
        waiting.start();
        while (waiting.isAlive())
        {
            checkStop();
            Uninterruptibles.joinUninterruptibly(waiting, POLL_MS, TimeUnit.MILLISECONDS);
            if (waiting.isAlive())
                status.waitFor("reads that have begun before");
        }
        status.waitFor("");
    }

    private void forget()
    {
        while (!memtable.sstables().tryToForget(rows::forget))
        {
            status.waitFor("a stream, a repair or a snapshot that begins");
            checkStop();
            Uninterruptibles.sleepUninterruptibly(POLL_MS, TimeUnit.MILLISECONDS);
        }
    }

    private void whenNotBusy(Runnable work)
    {
        while (true)
            try
            {
                work.run();
                return;
            }
            catch (EngineException e)
            {
                if (e.kind() != EngineException.Kind.BUSY)
                    throw e;
                status.waitFor("a merge-in, a load or a cleanup");
                checkStop();
                Uninterruptibles.sleepUninterruptibly(POLL_MS, TimeUnit.MILLISECONDS);
            }
    }

    private void checkStop()
    {
        if (isStopRequested() || !isWanted.getAsBoolean())
            throw new CompactionInterruptedException(getCompactionInfo());
    }

    @Override
    public CompactionInfo getCompactionInfo()
    {
        return CompactionProgress.of(cfs.metadata(), OperationType.COMPACTION, id, bytes - status.leftBytes(), bytes,
                                     CompactionInfo.Unit.BYTES);
    }

    @Override
    public boolean isGlobal()
    {
        return false;
    }
}
