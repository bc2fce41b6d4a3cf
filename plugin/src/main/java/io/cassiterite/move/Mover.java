/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.move;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

import com.google.common.util.concurrent.Uninterruptibles;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.compaction.CompactionInterruptedException;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.utils.Clock;
import org.apache.cassandra.utils.FBUtilities;

import io.cassiterite.engine.BackgroundWork;
import io.cassiterite.engine.DepartingRows;
import io.cassiterite.engine.EngineException;
import io.cassiterite.engine.Failures;
import io.cassiterite.engine.Store;
import io.cassiterite.engine.Table;
import io.cassiterite.memtable.CassiteriteMemtable;
import io.cassiterite.memtable.EngineTables;
import io.cassiterite.node.Direction;
import io.cassiterite.node.Directions;
import io.cassiterite.node.NodeStore;
import io.cassiterite.stream.Streams;

/**
 * Moves the sstables of tables whose direction is {@link Direction#IN} into the engine, in the background: one table after the
 * other, so that memory and devices have one move at a time. Thread-safe.
 */
public final class Mover implements Runnable
{
    public static final Mover instance = new Mover(Clock.Global::nanoTime);

    private static final Logger logger = LoggerFactory.getLogger(Mover.class);

    private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(2);
    /** After an interruption as well: who interrupts wants the sstables. */
    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final String REST_PROPERTY = "cassiterite.move_rest_bytes";
    /** So much may be left for the drain of a table that leaves. */
    private static final long REST_BYTES = Long.getLong(REST_PROPERTY, 64L << 20);
    private static final long STOP_WAIT_MS = 30_000;
    private static final long PAUSE_POLL_MS = 20;

    private final LongSupplier clock;
    private final Map<TableId, MoveStatus> statuses = new ConcurrentHashMap<>();
    /** When a table may be tried again. */
    private final Map<TableId, Long> dueNanos = new ConcurrentHashMap<>();
    /** Names of sstables that could not be moved, by table. */
    private final Map<TableId, Set<String>> refused = new ConcurrentHashMap<>();
    /** Tables of which a group could not be moved, so that each sstable is tried alone. */
    private final Set<TableId> alone = ConcurrentHashMap.newKeySet();
    /** The mover's thread only. */
    private final PurgeFence fence = new PurgeFence();
    /** Tables whose sstables others want, and how many do. */
    private final Map<TableId, Integer> paused = new ConcurrentHashMap<>();
    /** Of whom the progress of moves is told; the mover's thread only. */
    private final Map<TableId, CassiteriteMemtable> known = new HashMap<>();
    private volatile TableId moving;
    private volatile boolean stopped;
    private Thread thread;

    Mover(LongSupplier clock)
    {
        this.clock = clock;
    }

    /** Called when the store is open, before anything is merged in. */
    public static void expect(Store store)
    {
        TakingBack.expect(store.directory());
    }

    /** Called when the node has started; may be called again. */
    public synchronized void start()
    {
        if (thread != null || stopped)
            return;
        thread = new Thread(this, "cassiterite-mover");
        thread.setDaemon(true);
        thread.start();
    }

    /** Returns when nothing moves any more, or after half a minute. */
    public void stop()
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

    /** The direction of a table has changed: what it forbids ends by itself, what it asks for begins at once. */
    public void directed(TableId table)
    {
        alone.remove(table);
        refused.remove(table);
        dueNanos.remove(table);
        MoveStatus status = statuses.get(table);
        if (status != null)
            status.waitFor("");
        Thread running;
        synchronized (this)
        {
            running = thread;
        }
        LockSupport.unpark(running);
    }

    /** Runs work while nothing of the table moves. */
    public void whilePaused(TableId table, Runnable work)
    {
        pause(table);
        try
        {
            work.run();
        }
        finally
        {
            resume(table);
        }
    }

    /** Returns when nothing of the table moves any more; {@link #resume} must follow. */
    public void pause(TableId table)
    {
        paused.merge(table, 1, Integer::sum);
        while (table.equals(moving))
            Uninterruptibles.sleepUninterruptibly(PAUSE_POLL_MS, TimeUnit.MILLISECONDS);
    }

    public void resume(TableId table)
    {
        paused.computeIfPresent(table, (id, count) -> count == 1 ? null : count - 1);
    }

    /** @return null if nothing of the table has moved since the start */
    MoveStatus status(TableId table)
    {
        return statuses.get(table);
    }

    @Override
    public void run()
    {
        BackgroundWork.attempt("Removing the progress of moves of dropped tables", this::sweep);
        TakingBack.atStart();
        while (!stopped)
        {
            boolean more = false;
            try
            {
                for (CassiteriteMemtable memtable : EngineTables.all())
                    more |= wants(memtable) && move(memtable);
                fence.lower(Directions.leaving());
                forgetDropped();
            }
            catch (Exception | Error e)
            {
                BackgroundWork.failed("Moving tables into the engine, or out of it, failed", e);
            }
            if (!more)
                LockSupport.parkNanos(this, INTERVAL_NANOS);
        }
    }

    /** What an earlier process wrote of the tables that are there at the start is believed, and of no others. */
    private void sweep()
    {
        for (CassiteriteMemtable memtable : EngineTables.all())
            known.put(memtable.metadata().id, memtable);
        MoveProgress.sweep(NodeStore.getIfOpen().directory(), known.keySet());
    }

    private boolean wants(CassiteriteMemtable memtable)
    {
        ColumnFamilyStore cfs = memtable.cfs();
        if (cfs == null || cfs.getTracker() == null || memtable.table() == null)
            return false;
        Direction direction = Directions.of(cfs.metadata.id);
        boolean hasWork = direction == Direction.OUT || direction == Direction.IN && !cfs.getLiveSSTables().isEmpty();
        if (!hasWork || !isWanted(cfs.metadata.id, direction))
            return false;
        Long due = dueNanos.get(cfs.metadata.id);
        return due == null || clock.getAsLong() - due >= 0;
    }

    private boolean isWanted(TableId table, Direction direction)
    {
        return !stopped && !paused.containsKey(table) && Directions.of(table) == direction;
    }

    private void forgetDropped() throws IOException
    {
        for (CassiteriteMemtable memtable : List.copyOf(known.values()))
            if (EngineTables.find(memtable.metadata().id) != memtable)
            {
                known.remove(memtable.metadata().id);
                new MoveProgress(NodeStore.getIfOpen().directory(), memtable.metadata().id, 0).remove();
                new PublishedRound(NodeStore.getIfOpen().directory(), memtable.metadata().id, 0).remove();
            }
        for (Set<TableId> tables : List.of(statuses.keySet(), dueNanos.keySet(), refused.keySet(), alone))
            tables.removeIf(table -> EngineTables.find(table) == null);
    }

    /** @return true if there may be more to do at once */
    private boolean move(CassiteriteMemtable memtable)
    {
        TableId id = memtable.metadata().id;
        Direction direction = Directions.of(id);
        MoveStatus status = statuses.computeIfAbsent(id, any -> new MoveStatus());
        moving = id;
        try
        {
            return isWanted(id, direction) && (direction == Direction.OUT ? moveOut(memtable, status) : moveGroup(memtable, status));
        }
        catch (Exception | Error e)
        {
            later(id);
            failed(memtable, direction, status, e);
            return false;
        }
        finally
        {
            moving = null;
        }
    }

    /** One round; what has been written meanwhile is left for the next, which is shorter, and in the end for the drain. */
    private boolean moveOut(CassiteriteMemtable memtable, MoveStatus status)
    {
        TableId id = memtable.metadata().id;
        DepartingRows rows = new DepartingRows(memtable.table());
        if (rows.besideBytes() == 0 && rows.baseBytes() <= REST_BYTES)
        {
            status.ready(rows.baseBytes());
            return false;
        }
        String leaving = FBUtilities.prettyPrintMemory(rows.baseBytes() + rows.besideBytes());
        fence.raise(memtable);
        Departure departure = Departure.begin(memtable, status, () -> isWanted(id, Direction.OUT));
        if (departure == null)
        {
            later(id);
            return false;
        }
        long begun = clock.getAsLong();
        logger.info("{}: {} leave the engine", memtable.metadata(), leaving);
        departure.run(REST_BYTES);
        logger.info("{}: they have left the engine in {} s, {} have come meanwhile", memtable.metadata(),
                    TimeUnit.NANOSECONDS.toSeconds(clock.getAsLong() - begun), FBUtilities.prettyPrintMemory(rows.baseBytes()));
        return true;
    }

    private void later(TableId table)
    {
        dueNanos.put(table, clock.getAsLong() + RETRY_NANOS);
    }

    private boolean moveGroup(CassiteriteMemtable memtable, MoveStatus status) throws IOException
    {
        TableId id = memtable.metadata().id;
        Table table = memtable.table();
        if (table == null)
            return false;
        if (!Streams.isMergedIn(id))
        {
            status.waitFor("the merge-in of what came before");
            return false;
        }
        MoveProgress progress = new MoveProgress(table.store().directory(), id, table.stats().generation());
        MoveProgress.Point point = point(progress, memtable);
        SstableGroup group = SstableGroup.choose(memtable, point, refused.getOrDefault(id, Set.of()),
                                                 alone.contains(id),
                                                 Files.getFileStore(Path.of(table.store().directory())).getUsableSpace());
        status.waitFor(group.waitsFor);
        Long position = point != null && point.sstables.containsAll(SstableGroup.names(group.sstables)) ? point.token : null;
        GroupMove move = group.sstables.isEmpty() ? null : GroupMove.begin(memtable, group, progress, position, status,
                                                                           () -> isWanted(id, Direction.IN));
        if (move == null)
        {
            later(id);
            return false;
        }
        run(memtable, group, move);
        return true;
    }

    private void run(CassiteriteMemtable memtable, SstableGroup group, GroupMove move) throws IOException
    {
        TableId id = memtable.metadata().id;
        long bytes = group.sstables.stream().mapToLong(SSTableReader::onDiskLength).sum();
        long begun = clock.getAsLong();
        logger.info("{}: {} sstables ({}) move into the engine", memtable.metadata(), group.sstables.size(),
                    FBUtilities.prettyPrintMemory(bytes));
        try
        {
            move.run();
        }
        catch (UnmovableException e)
        {
            // others than the sstable that has it can move
            if (!alone.add(id))
                refused.computeIfAbsent(id, any -> ConcurrentHashMap.newKeySet()).addAll(SstableGroup.names(group.sstables));
            throw e;
        }
        logger.info("{}: {} sstables have moved into the engine in {} s, {} are left", memtable.metadata(), group.sstables.size(),
                    TimeUnit.NANOSECONDS.toSeconds(clock.getAsLong() - begun), memtable.cfs().getLiveSSTables().size());
    }

    /** Null for a table that has been created or truncated since the progress was written. */
    private MoveProgress.Point point(MoveProgress progress, CassiteriteMemtable memtable) throws IOException
    {
        if (known.put(memtable.metadata().id, memtable) == memtable && !memtable.table().stats().isPristine())
            return read(progress, memtable.cfs());
        progress.remove();
        return null;
    }

    /** One that cannot be read costs the work that was done, and nothing else. */
    private static MoveProgress.Point read(MoveProgress progress, ColumnFamilyStore cfs)
    {
        try
        {
            return progress.read();
        }
        catch (IOException e)
        {
            logger.warn("The move of {} begins again: {}", cfs.metadata(), e.getMessage());
            return null;
        }
    }

    private static void failed(CassiteriteMemtable memtable, Direction direction, MoveStatus status, Throwable failure)
    {
        String what = "The move of " + memtable.metadata() + (direction == Direction.OUT ? " out of the engine" : " into the engine");
        if (isInterruption(failure))
        {
            logger.info("{} is interrupted", what);
            return;
        }
        String space = SstableRoom.missing(failure);
        if (space == null && Failures.isNoSpace(failure))
            space = failure.getCause().getMessage();
        if (space != null)
        {
            status.waitFor("space: " + space);
            logger.warn("{} waits for space: {}", what, space);
            return;
        }
        status.failed(failure.getMessage() == null ? failure.toString() : failure.getMessage());
        BackgroundWork.failed(what + " failed; its rows are read as before, and it is tried again", failure);
    }

    /** Stopped, or the table was truncated or dropped, or the store has been closed, or other work has the table. */
    private static boolean isInterruption(Throwable failure)
    {
        if (failure instanceof CompactionInterruptedException)
            return true;
        if (!(failure instanceof EngineException))
            return false;
        EngineException.Kind kind = ((EngineException) failure).kind();
        return kind == EngineException.Kind.CLOSED || kind == EngineException.Kind.BUSY;
    }
}
