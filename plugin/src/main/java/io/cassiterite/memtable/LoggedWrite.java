/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.commitlog.CommitLogPosition;
import org.apache.cassandra.schema.TableMetadata;

/** A write to an engine table of which Cassandra's commit log has a part, before it reaches the engine. Thread-safe. */
final class LoggedWrite
{
    private LoggedWrite()
    {
    }

    /** Whether the table's writes go to Cassandra's commit log, too. */
    static boolean isOf(TableMetadata table)
    {
        return !table.params.memtable.factory().writesShouldSkipCommitLog();
    }

    /**
     * Returns when the write may reach the engine: its segment is noted, and what the log has of stock tables is safe.
     *
     * @param barrier  null if the log always has every acknowledged record
     * @param position of the mutation in the log: of this part, or of one for stock tables
     */
    static void precede(ColumnFamilyStore cfs, CommitLogBarrier barrier, CommitLogPosition position)
    {
        TableMetadata table = cfs.metadata();
        if (isOf(table))
            CommitLogReplay.note(table.id, position.segmentId);
        if (barrier != null && MutationParts.mayBeStock(cfs.keyspace, position))
            barrier.awaitAll();
    }
}
