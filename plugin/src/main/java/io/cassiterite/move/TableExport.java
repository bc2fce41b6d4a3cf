/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.move;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.compaction.CompactionInfo;
import org.apache.cassandra.db.compaction.CompactionInterruptedException;
import org.apache.cassandra.db.compaction.CompactionManager;
import org.apache.cassandra.db.compaction.OperationType;
import org.apache.cassandra.db.partitions.UnfilteredPartitionIterator;
import org.apache.cassandra.db.rows.RangeTombstoneMarker;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.db.transform.Transformation;
import org.apache.cassandra.io.FSWriteError;
import org.apache.cassandra.io.util.File;
import org.apache.cassandra.utils.Clock;
import org.apache.cassandra.utils.FBUtilities;
import org.apache.cassandra.utils.TimeUUID;

import io.cassiterite.engine.BackgroundWork;
import io.cassiterite.engine.EngineException;
import io.cassiterite.reflect.CompactionProgress;

/**
 * Writes one view of a table to sstables in a folder, each row once, and nothing is purged. Cassandra sees a validation: that is what
 * TRUNCATE, DROP and nodetool stop end, and other work on sstables does not. Run once, by one thread; reports may be read by all.
 */
final class TableExport extends CompactionInfo.Holder
{
    private static final Logger logger = LoggerFactory.getLogger(TableExport.class);

    private static final String SSTABLE_PROPERTY = "cassiterite.export_sstable_bytes";
    private static final long SSTABLE_BYTES = Long.getLong(SSTABLE_PROPERTY, SstableSeries.SSTABLE_BYTES);
    private static final double ROOM = 1.1;
    private static final long FREE_BYTES_MIN = Long.getLong("cassiterite.export_free_bytes", 256L << 20);
    private static final long ROWS_PER_CHECK = 256;
    private static final long BYTES_PER_LOOK = 64L << 20;

    /** What has become of it. */
    private enum State
    {
        WAITS,
        RUNS,
        DONE,
        STOPPED,
        FAILED
    }

    private final ColumnFamilyStore cfs;
    private final ExportFolder folder;
    private final TimeUUID id = TimeUUID.Generator.nextTimeUUID();
    private volatile State state = State.WAITS;
    private volatile String error = "";
    private volatile long expectedBytes;
    private volatile long writtenBytes;
    private volatile int sstables;
    private volatile long begunNanos;
    private long rows;
    private long lookedAtBytes;

    TableExport(ColumnFamilyStore cfs, ExportFolder folder)
    {
        this.cfs = cfs;
        this.folder = folder;
    }

    /** Whether it waits or runs, for this table or into this folder. */
    boolean collidesWith(TableExport other)
    {
        return !hasEnded() && (cfs.metadata.id.equals(other.cfs.metadata.id) || folder.path().equals(other.folder.path()));
    }

    boolean hasEnded()
    {
        return state != State.WAITS && state != State.RUNS;
    }

    /** Returns when it has ended, in any way. */
    void run()
    {
        begunNanos = Clock.Global.nanoTime();
        state = State.RUNS;
        CompactionManager.instance.active.beginCompaction(this);
        try
        {
            export();
            logger.info("{} is exported to {}: {} sstables, {}, {} s", cfs.metadata(), folder.path(), sstables,
                        FBUtilities.prettyPrintMemory(writtenBytes),
                        TimeUnit.NANOSECONDS.toSeconds(Clock.Global.nanoTime() - begunNanos));
            state = State.DONE;
        }
        catch (CompactionInterruptedException e)
        {
            end(State.STOPPED, "stopped");
        }
        catch (Exception | Error e)
        {
            failed(e);
        }
        finally
        {
            CompactionManager.instance.active.finishCompaction(this);
        }
    }

    private void failed(Throwable failure)
    {
        boolean isOver = failure instanceof EngineException && ((EngineException) failure).kind() == EngineException.Kind.CLOSED;
        end(isOver ? State.STOPPED : State.FAILED, failure.getMessage() == null ? failure.toString() : failure.getMessage());
        // the folder may be full, or broken: that is no failure of the node's own devices
        boolean isOfFolder = failure instanceof IOException || failure instanceof FSWriteError || failure instanceof IllegalStateException;
        if (!isOver && !isOfFolder)
            BackgroundWork.failed("The export of " + cfs.metadata() + " failed", failure);
    }

    private void end(State as, String why)
    {
        logger.warn("The export of {} to {} has not ended well: {}", cfs.metadata(), folder.path(), why);
        error = why.replaceAll("\\s+", " ");
        state = as;
    }

    private void export() throws IOException
    {
        checkStop();
        try
        {
            File files = new File(folder.create(cfs.getKeyspaceName(), cfs.name));
            try (ExportView view = ExportView.open(cfs))
            {
                expectedBytes = view.bytes();
                checkRoom((long) (ROOM * expectedBytes));
                logger.info("{} is exported to {}: about {}", cfs.metadata(), folder.path(), FBUtilities.prettyPrintMemory(expectedBytes));
                write(view, files);
            }
            folder.complete();
        }
        catch (Throwable t)
        {
            discard(t);
            throw t;
        }
    }

    private void discard(Throwable failure)
    {
        try
        {
            folder.discard();
        }
        catch (IOException e)
        {
            failure.addSuppressed(e);
        }
    }

    private void write(ExportView view, File files)
    {
        try (SstableSeries series = new SstableSeries(cfs, view.header(), () -> files, SSTABLE_BYTES,
                                                      view.partitionCount(), expectedBytes);
             UnfilteredPartitionIterator partitions = view.partitions())
        {
            Watch watch = new Watch(series);
            while (partitions.hasNext())
                try (UnfilteredRowIterator partition = Transformation.apply(partitions.next(), watch))
                {
                    watch.passed();
                    series.append(partition);
                }
            series.finish();
            passed(series);
        }
    }

    /** Looks after the export as rows pass. */
    private final class Watch extends Transformation<UnfilteredRowIterator>
    {
        private final SstableSeries series;

        private Watch(SstableSeries series)
        {
            this.series = series;
        }

        private void passed()
        {
            if (++rows % ROWS_PER_CHECK == 0)
                TableExport.this.passed(series);
        }

        @Override
        protected Row applyToRow(Row row)
        {
            passed();
            return row;
        }

        @Override
        protected RangeTombstoneMarker applyToMarker(RangeTombstoneMarker marker)
        {
            passed();
            return marker;
        }
    }

    private void passed(SstableSeries series)
    {
        checkStop();
        long bytes = series.bytes();
        long more = bytes - writtenBytes;
        writtenBytes = bytes;
        sstables = series.sstables();
        if (more > 0)
            CompactionManager.instance.getRateLimiter().acquire((int) Math.min(more, Integer.MAX_VALUE));
        if (bytes - lookedAtBytes < BYTES_PER_LOOK)
            return;
        lookedAtBytes = bytes;
        checkRoom(0);
    }

    private void checkRoom(long bytes)
    {
        try
        {
            long free = folder.freeBytes();
            if (free - bytes < FREE_BYTES_MIN)
                throw new IllegalStateException("no space: " + FBUtilities.prettyPrintMemory(free) + " are free at " + folder.path()
                                                + (bytes == 0 ? "" : ", about " + FBUtilities.prettyPrintMemory(bytes) + " are needed")
                                                + ", and " + FBUtilities.prettyPrintMemory(FREE_BYTES_MIN) + " are to stay free");
        }
        catch (IOException e)
        {
            throw new IllegalStateException("the free space at " + folder.path() + " is not known: " + e, e);
        }
    }

    private void checkStop()
    {
        if (isStopRequested())
            throw new CompactionInterruptedException(getCompactionInfo());
    }

    static String columns()
    {
        return "keyspace_name\ttable_name\tfolder_name\tstate_text\tsstables\twritten_bytes\texpected_bytes\tbytes_per_second"
               + "\tseconds_left\terror_text";
    }

    /** The values of {@link #columns}. */
    String line()
    {
        long written = writtenBytes;
        double seconds = (Clock.Global.nanoTime() - begunNanos) / (double) TimeUnit.SECONDS.toNanos(1);
        long rate = state == State.RUNS ? (long) (written / Math.max(seconds, 1e-3)) : 0;
        long left = Math.max(0, expectedBytes - written);
        return String.join("\t", cfs.getKeyspaceName(), cfs.name, folder.path().toString(), state.name(), Integer.toString(sstables),
                           Long.toString(written), Long.toString(expectedBytes), Long.toString(rate),
                           rate == 0 ? "" : Long.toString(left / rate), error);
    }

    @Override
    public CompactionInfo getCompactionInfo()
    {
        long total = Math.max(expectedBytes, writtenBytes);
        return CompactionProgress.of(cfs.metadata(), OperationType.VALIDATION, id, writtenBytes, total, CompactionInfo.Unit.BYTES);
    }

    @Override
    public boolean isGlobal()
    {
        return false;
    }
}
