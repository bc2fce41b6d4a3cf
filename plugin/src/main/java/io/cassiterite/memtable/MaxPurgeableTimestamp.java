/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.util.concurrent.TimeUnit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.config.CassandraRelevantProperties;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.lifecycle.Tracker;
import org.apache.cassandra.db.lifecycle.View;
import org.apache.cassandra.db.memtable.Memtable;
import org.apache.cassandra.io.FSError;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.notifications.INotification;
import org.apache.cassandra.notifications.INotificationConsumer;
import org.apache.cassandra.notifications.SSTableDeletingNotification;
import org.apache.cassandra.notifications.TruncationNotification;
import org.apache.cassandra.utils.FBUtilities;
import org.apache.cassandra.utils.NoSpamLogger;

import io.cassiterite.engine.EngineException;

/**
 * Tells the engine which deletions it may purge: none that may still hide data in an sstable or in another memtable of
 * the table. Follows the changes of the table's sstables.
 */
final class MaxPurgeableTimestamp implements INotificationConsumer
{
    private static final Logger logger = LoggerFactory.getLogger(MaxPurgeableTimestamp.class);
    private static final NoSpamLogger RARE = NoSpamLogger.getLogger(logger, 1, TimeUnit.MINUTES);
    private static final long NOTHING = Long.MIN_VALUE;
    private static final long EVERYTHING = Long.MAX_VALUE;

    private final ColumnFamilyStore cfs;
    private final EngineMemtable memtable;
    private volatile boolean attached;

    MaxPurgeableTimestamp(ColumnFamilyStore cfs, EngineMemtable memtable)
    {
        this.cfs = cfs;
        this.memtable = memtable;
    }

    /** Subscribes to the table's tracker once there is one. Cheap after that. */
    void attach()
    {
        if (!attached && cfs != null && cfs.getTracker() != null)
            follow();
    }

    private synchronized void follow()
    {
        if (attached)
            return;
        cfs.getTracker().subscribe(this);
        attached = true;
        refresh();
    }

    synchronized void detach()
    {
        if (attached)
            cfs.getTracker().unsubscribe(this);
    }

    @Override
    public void handleNotification(INotification notification, Object sender)
    {
        if (notification instanceof TruncationNotification)
            memtable.sstables().truncated(((TruncationNotification) notification).truncatedAt);
        if (!(notification instanceof SSTableDeletingNotification))
            refresh();
    }

    /** Passes the present value to the engine. */
    synchronized void refresh()
    {
        try
        {
            long nowOffset = FBUtilities.nowInSeconds() - System.currentTimeMillis() / 1000;
            memtable.purge(memtable.metadata().params.gcGraceSeconds, timestamp(), nowOffset);
        }
        catch (EngineException e)
        {
            // closed with the store, or with a table that is being dropped, it purges nothing any more
            if (e.kind() != EngineException.Kind.CLOSED)
                report(e);
        }
        catch (RuntimeException | FSError e)
        {
            report(e);
        }
    }

    /** Thrown, it would fail the TRUNCATE, schema change, flush, import or compaction that calls. It is tried again every second. */
    private void report(Throwable failure)
    {
        RARE.error("Cassiterite could not update what it may purge of {}", memtable.metadata(), failure);
    }

    /** Deletions at or above this timestamp are kept. */
    private long timestamp()
    {
        Tracker tracker = attached ? cfs.getTracker() : null;
        if (tracker == null || cfs.getCompactionStrategyManager() == null || neverPurges()
            || cfs.getCompactionStrategyManager().onlyPurgeRepairedTombstones())
            return NOTHING;
        View view = tracker.getView();
        // another memtable may still be written to, without a notification
        for (Memtable other : view.getAllMemtables())
            if (other != memtable)
                return NOTHING;
        long smallest = EVERYTHING;
        for (SSTableReader sstable : view.liveSSTables())
            smallest = Math.min(smallest, sstable.getMinTimestamp());
        return smallest;
    }

    /** By JMX, or by the property that Cassandra's compactions heed. */
    private boolean neverPurges()
    {
        return cfs.getNeverPurgeTombstones() || CassandraRelevantProperties.NEVER_PURGE_TOMBSTONES.getBoolean();
    }
}
