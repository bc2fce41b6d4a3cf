/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.io.IOException;

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
 * What Cassandra notes in its own tables before it writes a row: proposals of Paxos, and batches. A row of the engine
 * outlives kill -9 at once; under commitlog_sync: periodic, these notes do so only after the commit log's next marker, at
 * most 100 ms later ({@code AbstractCommitLogService.DEFAULT_MARKER_INTERVAL_MILLIS}). With the row there and the notes gone,
 * Paxos would repeat an older proposal over it, and no one would end the batch (D9). So the notes are marked first; where
 * markers stay in memory, under direct I/O, they are synced. Thread-safe.
 */
final class PriorNotes
{
    private static final boolean LAG = DatabaseDescriptor.getCommitLogSync() == CommitLogSync.periodic;
    private static final boolean SYNC = DatabaseDescriptor.getCommitLogWriteDiskAccessMode() == DiskAccessMode.direct;

    private static volatile PriorNotes instance;

    private final TableMetrics paxos = metrics(SystemKeyspace.PAXOS);
    private final TableMetrics batches = metrics(SystemKeyspace.BATCHES);
    private volatile long kept;

    private PriorNotes()
    {
    }

    /** Returns when all notes that are complete by now outlive kill -9. Costs two sums where there are no new ones. */
    static void keep()
    {
        if (!LAG)
            return;
        PriorNotes notes = instance;
        if (notes == null)
            instance = notes = new PriorNotes();
        if (notes.noted() != notes.kept)
            notes.mark(notes.noted());
    }

    private synchronized void mark(long wanted)
    {
        if (wanted <= kept)
            return;
        long noted = noted();
        try
        {
            CommitLog.instance.sync(SYNC);
        }
        catch (IOException e)
        {
            throw new FSWriteError(e, DatabaseDescriptor.getCommitLogLocation());
        }
        kept = noted;
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
