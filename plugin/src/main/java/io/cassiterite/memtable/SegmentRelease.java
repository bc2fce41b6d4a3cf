/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.util.concurrent.ExecutorService;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.concurrent.ExecutorFactory;
import org.apache.cassandra.db.Keyspace;
import org.apache.cassandra.db.commitlog.CommitLog;
import org.apache.cassandra.db.commitlog.CommitLogPosition;
import org.apache.cassandra.utils.concurrent.OpOrder;

/**
 * Tells the commit log that it need not keep what engine tables have written to it: they are never flushed, and what they have
 * is safe without it. Else Cassandra would keep the segments until commitlog_total_space is full. Works when the log has begun
 * another segment. To be called by one thread.
 */
public final class SegmentRelease
{
    private static final Logger logger = LoggerFactory.getLogger(SegmentRelease.class);

    private final ExecutorService thread = ExecutorFactory.Global.executorFactory().sequential("Cassiterite-Segment-Release");
    private long seen = CommitLogPosition.NONE.segmentId;
    private volatile boolean busy;

    /** Cheap while the log stays in one segment. Waits for nothing: writes and archive commands may take long. */
    public void release()
    {
        CommitLogPosition now = CommitLog.instance.getCurrentPosition();
        if (busy || now.segmentId == seen)
            return;
        busy = true;
        seen = now.segmentId;
        thread.execute(() -> {
            try
            {
                release(now);
            }
            catch (RuntimeException | Error e)
            {
                logger.error("Segments of the commit log before {} stay longer than needed", now, e);
            }
            finally
            {
                busy = false;
            }
        });
    }

    private static void release(CommitLogPosition until)
    {
        // a segment must not go while a write of it is under way
        OpOrder.Barrier writes = Keyspace.writeOrder.newBarrier();
        writes.issue();
        writes.await();
        for (CassiteriteMemtable memtable : EngineTables.all())
            if (LoggedWrite.isOf(memtable.metadata()))
                CommitLog.instance.discardCompletedSegments(memtable.metadata().id, CommitLogPosition.NONE, until);
    }
}
