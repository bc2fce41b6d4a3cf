/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;

import org.apache.cassandra.concurrent.ExecutorFactory;
import org.apache.cassandra.concurrent.ScheduledExecutors;
import org.apache.cassandra.config.Config.DiskAccessMode;
import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.db.commitlog.CommitLog;
import org.apache.cassandra.io.FSWriteError;

/**
 * Writes a marker into the commit log, up to which a replay reads. Syncs it to the device if markers stay in memory, or
 * if rows go to the device at once. A failure fails the caller's write under every commit_failure_policy: the policy
 * decides about the node only. Under "ignore" the node runs on, and plain writes succeed; a write that needs the marker
 * fails until the commit log can be written again.
 */
final class CommitLogMarker implements Runnable
{
    private final boolean flush;
    private final ExecutorService thread;

    /** @param parameters of the memtable configuration */
    CommitLogMarker(Map<String, String> parameters)
    {
        DiskAccessMode mode = DatabaseDescriptor.getCommitLogWriteDiskAccessMode();
        flush = mode == DiskAccessMode.direct || "batch".equals(parameters.get("wal_sync"));
        // an interrupted request must not close the channel, nor each request's thread keep a buffer for compression
        thread = flush || mode != DiskAccessMode.mmap
                 ? ExecutorFactory.Global.executorFactory().sequential("Cassiterite-Commit-Log-Marker") : null;
    }

    /** @throws IllegalStateException if the commit log has no new marker */
    @Override
    public void run()
    {
        try
        {
            if (thread == null)
                mark();
            else
                CompletableFuture.runAsync(this::mark, thread).join();
        }
        catch (CompletionException e)
        {
            throw failed(e.getCause());
        }
        catch (RuntimeException | Error e)
        {
            throw failed(e);
        }
    }

    private void mark()
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

    /** Asks the commit failure policy on another thread, because it may wait for the requests that run. */
    private static IllegalStateException failed(Throwable cause)
    {
        String message = "Cassiterite could not mark the commit log before a write";
        ScheduledExecutors.optionalTasks.execute(() -> CommitLog.handleCommitError(message, cause));
        return new IllegalStateException(message + ": " + cause, cause);
    }
}
