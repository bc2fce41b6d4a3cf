/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.util.function.LongSupplier;

import org.apache.cassandra.config.Config.CommitLogSync;
import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.db.Keyspace;
import org.apache.cassandra.db.SystemKeyspace;
import org.apache.cassandra.metrics.TableMetrics;
import org.apache.cassandra.schema.SchemaConstants;

/**
 * Makes the records in Cassandra's commit log that precede a row of the engine safe before the row: proposals of Paxos,
 * batches, the stock tables' part of a mutation. The row outlives kill -9 at once; under commitlog_sync: periodic the
 * records do so only after the commit log's next marker ({@code AbstractCommitLogService}). If the row survived without
 * the records, Paxos would repeat an older proposal over it, and no node would complete the batch (danger D9).
 * Thread-safe.
 */
final class CommitLogBarrier
{
    private static final boolean LAG = DatabaseDescriptor.getCommitLogSync() == CommitLogSync.periodic;

    private static volatile CommitLogBarrier instance;

    private final LongSupplier records;
    private final Runnable sync;
    private final SharedSync shared = new SharedSync(this::sync);
    private volatile long synced;

    /**
     * @param records counts the complete records of Paxos and batches
     * @param sync    makes what is in the commit log outlive the process, or throws
     */
    CommitLogBarrier(LongSupplier records, Runnable sync)
    {
        this.records = records;
        this.sync = sync;
    }

    /** @return null if the commit log always has every acknowledged record */
    static CommitLogBarrier of(CassiteriteFactory factory)
    {
        if (LAG && instance == null)
        {
            synchronized (CommitLogBarrier.class)
            {
                if (instance == null)
                    instance = new CommitLogBarrier(paxosAndBatches(), new CommitLogMarker(factory.parameters()));
            }
        }
        return instance;
    }

    /** Writes are counted when they are complete: in the commit log, too. */
    private static LongSupplier paxosAndBatches()
    {
        TableMetrics paxos = metrics(SystemKeyspace.PAXOS);
        TableMetrics batches = metrics(SystemKeyspace.BATCHES);
        return () -> paxos.writeLatency.latency.getCount() + batches.writeLatency.latency.getCount();
    }

    private static TableMetrics metrics(String table)
    {
        return Keyspace.open(SchemaConstants.SYSTEM_KEYSPACE_NAME).getColumnFamilyStore(table).metric;
    }

    /**
     * Returns when all records of Paxos and of batches that are complete by now are safe. Reads two counters if there
     * are none.
     */
    void awaitPaxosAndBatches()
    {
        if (records.getAsLong() != synced)
            shared.await();
    }

    /** Returns when everything that this thread has written to the commit log is safe. */
    void awaitAll()
    {
        shared.await();
    }

    private void sync()
    {
        long before = records.getAsLong();
        sync.run();
        synced = before;
    }
}
