/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.move;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.StringJoiner;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import org.apache.cassandra.db.ColumnFamilyStore;

/** The exports of this node, one after the other, and what has become of the latest. Thread-safe. */
public final class Exports
{
    public static final Exports instance = new Exports();

    private static final int KEPT = 20;
    private static final long STOP_WAIT_MS = 30_000;

    private final ExecutorService thread = Executors.newSingleThreadExecutor(work -> {
        Thread worker = new Thread(work, "cassiterite-export");
        worker.setDaemon(true);
        return worker;
    });
    private final Deque<TableExport> latest = new ArrayDeque<>();

    private Exports()
    {
    }

    /**
     * Has the table exported in the background.
     *
     * @param directory as {@link ExportFolder#of} takes it
     * @param taken     likewise
     * @throws IllegalArgumentException if it cannot be written, with the reason
     * @throws IllegalStateException    if an export of the table, or into this folder, waits or runs, or too many do
     */
    public void begin(ColumnFamilyStore cfs, String directory, Collection<String> taken)
    {
        begin(new TableExport(cfs, ExportFolder.of(directory, taken)));
    }

    private synchronized void begin(TableExport export)
    {
        if (thread.isShutdown())
            throw new IllegalStateException("the node is stopping");
        if (latest.stream().anyMatch(other -> other.collidesWith(export)))
            throw new IllegalStateException("an export of this table, or to this folder, waits or runs");
        if (latest.size() == KEPT && !latest.remove(latest.stream().filter(TableExport::hasEnded).findFirst().orElse(null)))
            throw new IllegalStateException(KEPT + " exports wait");
        latest.addLast(export);
        thread.execute(export::run);
    }

    /** Ends them all. Returns when none runs, or after half a minute. */
    public void stop()
    {
        synchronized (this)
        {
            latest.forEach(TableExport::stop);
            thread.shutdown();
        }
        try
        {
            thread.awaitTermination(STOP_WAIT_MS, TimeUnit.MILLISECONDS);
        }
        catch (InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
    }

    /** Lines of tab-separated values, the first names the columns. */
    public synchronized String report()
    {
        StringJoiner lines = new StringJoiner("\n");
        lines.add(TableExport.columns());
        latest.forEach(export -> lines.add(export.line()));
        return lines.toString();
    }
}
