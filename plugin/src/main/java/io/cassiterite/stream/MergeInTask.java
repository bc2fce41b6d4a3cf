/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.NoSpamLogger;

import io.cassiterite.engine.BackgroundWork;
import io.cassiterite.engine.EngineException;
import io.cassiterite.engine.Failures;
import io.cassiterite.engine.Table;
import io.cassiterite.memtable.CassiteriteMemtable;
import io.cassiterite.memtable.EngineTables;

/**
 * Runs merge-ins of side families in the background: until they are done reads merge them with the base, and purging is
 * suspended. Waits while a session sends more for the table. Thread-safe.
 */
final class MergeInTask implements Runnable
{
    static final MergeInTask instance = new MergeInTask(EngineTables::all);

    private static final Logger logger = LoggerFactory.getLogger(MergeInTask.class);
    private static final NoSpamLogger HOURLY = NoSpamLogger.getLogger(logger, 1, TimeUnit.HOURS);

    private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long STOP_WAIT_MS = 10_000;

    private final Map<TableId, Integer> receivers = new HashMap<>();
    /** Tables that rows of sstables move into. */
    private final Set<TableId> held = new HashSet<>();
    /** How often sessions have begun or ended: a step that began before may not have seen all that they sent. */
    private final Map<TableId, Long> changes = new HashMap<>();
    /** Tables that nothing has been received for since they were found merged in. */
    private final Set<TableId> mergedIn = new HashSet<>();

    /** Tables that are being merged in; the task's own thread only. */
    private final Set<TableId> begun = new HashSet<>();
    /** When merging in last failed; the task's own thread only. */
    private final Map<TableId, Long> failedAtNanos = new HashMap<>();

    private final Supplier<Collection<CassiteriteMemtable>> tables;
    private volatile boolean stopped;
    private Thread thread;

    MergeInTask(Supplier<Collection<CassiteriteMemtable>> tables)
    {
        this.tables = tables;
    }

    /** Starts the thread; what an earlier process received is merged in first. */
    synchronized void start()
    {
        if (thread != null)
            return;
        thread = new Thread(this, "cassiterite-merge-in");
        thread.setDaemon(true);
        thread.start();
    }

    /** Returns when the thread no longer uses the engine, or after ten seconds if a step takes longer. */
    void stop()
    {
        Thread running;
        synchronized (this)
        {
            stopped = true;
            running = thread;
        }
        if (running == null)
            return;
        LockSupport.unpark(running);
        try
        {
            running.join(STOP_WAIT_MS);
        }
        catch (InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
    }

    /** A session begins to send for the table. */
    synchronized void receiving(TableId table)
    {
        receivers.merge(table, 1, Integer::sum);
        changes.merge(table, 1L, Long::sum);
    }

    /** The session is over. */
    synchronized void received(TableId table)
    {
        receivers.computeIfPresent(table, (id, count) -> count == 1 ? null : count - 1);
        changes.merge(table, 1L, Long::sum);
        mergedIn.remove(table);
    }

    synchronized boolean isReceiving(TableId table)
    {
        return receivers.containsKey(table);
    }

    synchronized boolean isMergedIn(TableId table)
    {
        return mergedIn.contains(table) && !isReceiving(table);
    }

    /** More is about to come, by a move. */
    synchronized void hold(TableId table)
    {
        held.add(table);
    }

    synchronized void release(TableId table)
    {
        held.remove(table);
        changes.merge(table, 1L, Long::sum);
        mergedIn.remove(table);
    }

    /** @return the argument for {@link #setMergedIn}, read before the step; empty if the table needs no merge-in now */
    synchronized OptionalLong wanted(TableId table)
    {
        boolean isWanted = !stopped && !isReceiving(table) && !held.contains(table) && !mergedIn.contains(table);
        return isWanted ? OptionalLong.of(changes(table)) : OptionalLong.empty();
    }

    /** Nothing was left to merge in, unless a session has brought more since {@link #wanted}. */
    synchronized void setMergedIn(TableId table, long changesSeen)
    {
        begun.remove(table);
        if (changes(table) == changesSeen)
            mergedIn.add(table);
    }

    private long changes(TableId table)
    {
        return changes.getOrDefault(table, 0L);
    }

    /** False soon after a failure: the table is tried again later, also while others have more to do. */
    private boolean isDue(TableId table)
    {
        Long atNanos = failedAtNanos.get(table);
        return atNanos == null || System.nanoTime() - atNanos >= INTERVAL_NANOS;
    }

    private synchronized void forgetDropped()
    {
        for (Set<TableId> tables : List.of(mergedIn, begun, failedAtNanos.keySet(), changes.keySet()))
            tables.removeIf(table -> EngineTables.find(table) == null);
    }

    @Override
    public void run()
    {
        while (!stopped)
        {
            if (!mergeInSome())
                LockSupport.parkNanos(this, INTERVAL_NANOS);
        }
    }

    /**
     * Takes one step for each table: no table waits until a large one is done.
     *
     * @return true if there is more to do at once
     */
    private boolean mergeInSome()
    {
        boolean more = false;
        try
        {
            for (CassiteriteMemtable memtable : tables.get())
                more |= isDue(memtable.metadata().id) && mergeIn(memtable);
            forgetDropped();
            return more;
        }
        catch (Exception | Error e)
        {
            BackgroundWork.failed("The merge-in of received files failed; it is tried again every second", e);
            return false;
        }
    }

    /** @return true if there is more to do at once */
    private boolean mergeIn(CassiteriteMemtable memtable)
    {
        TableId id = memtable.metadata().id;
        Table table = memtable.table();
        OptionalLong wanted = wanted(id);
        if (table == null || wanted.isEmpty())
            return false;
        try
        {
            long left = table.mergeIn();
            if (left == 0)
                setMergedIn(id, wanted.getAsLong());
            else if (begun.add(id))
                logger.info("The merge-in of what {} received begins: {} bytes", memtable.metadata(), left);
            return left > 0;
        }
        catch (Exception | Error e)
        {
            failed(memtable.metadata(), e);
        }
        return false;
    }

    /** A full device is no reason to stop the node: side families can be read. */
    void failed(TableMetadata metadata, Throwable failure)
    {
        failedAtNanos.put(metadata.id, System.nanoTime());
        if (isToBeExpected(failure))
            return;
        if (Failures.isNoSpace(failure))
        {
            HOURLY.warn("The merge-in of what " + metadata + " received waits for space: {}", failure.getCause().getMessage());
            return;
        }
        BackgroundWork.failed("The merge-in of what " + metadata + " received failed; its rows can be read, and it is tried again " +
                              "every second", failure);
    }

    /** The table was truncated or dropped, the store closed, or long-running work uses the table. */
    private static boolean isToBeExpected(Throwable failure)
    {
        if (!(failure instanceof EngineException))
            return false;
        EngineException.Kind kind = ((EngineException) failure).kind();
        return kind == EngineException.Kind.CLOSED || kind == EngineException.Kind.BUSY;
    }
}
