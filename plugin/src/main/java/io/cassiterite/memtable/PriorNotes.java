/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;

import org.apache.cassandra.concurrent.ExecutorFactory;
import org.apache.cassandra.concurrent.ScheduledExecutors;
import org.apache.cassandra.config.Config.CommitFailurePolicy;
import org.apache.cassandra.config.Config.CommitLogSync;
import org.apache.cassandra.config.Config.DiskAccessMode;
import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.db.Keyspace;
import org.apache.cassandra.db.SystemKeyspace;
import org.apache.cassandra.db.commitlog.CommitLog;
import org.apache.cassandra.io.FSWriteError;
import org.apache.cassandra.metrics.TableMetrics;
import org.apache.cassandra.schema.SchemaConstants;

/**
 * What Cassandra writes to its commit log before a row: proposals of Paxos, batches, the stock tables' part of a mutation. A
 * row of the engine outlives kill -9 at once; under commitlog_sync: periodic these notes do so only after the commit log's
 * next marker ({@code AbstractCommitLogService}). With the row there and the notes gone, Paxos would repeat an older
 * proposal over it, and nobody would end the batch (D9). So the commit log is marked first, or synced, where a mark stays
 * in memory or the row goes to the device at once. Thread-safe.
 */
final class PriorNotes
{
    private static final boolean LAG = DatabaseDescriptor.getCommitLogSync() == CommitLogSync.periodic;

    private static volatile PriorNotes instance;

    private final TableMetrics paxos = metrics(SystemKeyspace.PAXOS);
    private final TableMetrics batches = metrics(SystemKeyspace.BATCHES);
    private final boolean flush;
    private final ExecutorService marker;
    private volatile long kept;
    private volatile long marks;

    private PriorNotes(Map<String, String> parameters)
    {
        DiskAccessMode mode = DatabaseDescriptor.getCommitLogWriteDiskAccessMode();
        flush = mode == DiskAccessMode.direct || "batch".equals(parameters.get("wal_sync"));
        // a channel must not meet the interrupt of a request's thread, nor each such thread keep a buffer for compression
        marker = flush || mode != DiskAccessMode.mmap
                 ? ExecutorFactory.Global.executorFactory().sequential("Cassiterite-Commit-Log-Marker") : null;
    }

    /** @return null if the commit log never lags behind what has been acknowledged to its writers */
    static PriorNotes of(CassiteriteFactory factory)
    {
        if (LAG && instance == null)
        {
            synchronized (PriorNotes.class)
            {
                if (instance == null)
                    instance = new PriorNotes(factory.parameters());
            }
        }
        return instance;
    }

    /** Returns when all notes of Paxos and all batches that are complete by now are safe. Costs two sums if there are none. */
    void keep()
    {
        if (noted() != kept)
            mark();
    }

    /** Returns when everything that this thread has written to the commit log is safe. */
    void keepAll()
    {
        mark();
    }

    private void mark()
    {
        long seen = marks;
        synchronized (this)
        {
            // one that began after this thread came is over by now
            if (marks != seen)
                return;
            marks = seen + 1;
            long noted = noted();
            try
            {
                if (marker == null)
                    sync();
                else
                    CompletableFuture.runAsync(this::sync, marker).join();
            }
            catch (RuntimeException | Error e)
            {
                marks = seen;
                fail(e.getCause() == null ? e : e.getCause());
            }
            kept = noted;
        }
    }

    private void sync()
    {
        try
        {
            CommitLog.instance.sync(flush);
        }
        catch (IOException e)
        {
            throw new FSWriteError(e, DatabaseDescriptor.getCommitLogLocation());
        }
    }

    /** Asks the commit failure policy, on another thread: what it may do to the node waits for running requests. */
    private static void fail(Throwable cause)
    {
        String message = "Marking the commit log before a write of Cassiterite's failed";
        ScheduledExecutors.optionalTasks.execute(() -> CommitLog.handleCommitError(message, cause));
        if (DatabaseDescriptor.getCommitFailurePolicy() != CommitFailurePolicy.ignore)
            throw new IllegalStateException(message + ": " + cause, cause);
    }

    /** Writes are counted when they are complete: in the commit log, too. */
    private long noted()
    {
        return paxos.writeLatency.latency.getCount() + batches.writeLatency.latency.getCount();
    }

    private static TableMetrics metrics(String table)
    {
        return Keyspace.open(SchemaConstants.SYSTEM_KEYSPACE_NAME).getColumnFamilyStore(table).metric;
    }
}
