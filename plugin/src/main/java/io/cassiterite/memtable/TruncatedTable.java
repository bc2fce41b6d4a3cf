/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.util.concurrent.atomic.AtomicInteger;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.io.util.File;

import io.cassiterite.engine.EngineException;
import io.cassiterite.engine.Table;

/** A generation that TRUNCATE replaced: it stays for the reads that run, and for the snapshot that TRUNCATE takes of it. */
final class TruncatedTable
{
    private static final Logger logger = LoggerFactory.getLogger(TruncatedTable.class);

    private final Table table;
    private final TruncatedTable unsaved;
    private final File precaution;
    private final AtomicInteger references;
    private boolean saved;

    /**
     * @param snapshot   whether a snapshot of the generation is to be taken
     * @param unsaved    the generation before, if another TRUNCATE has yet to take its snapshot; or null
     * @param precaution a snapshot that was taken before the table was emptied, of no use when there is the other; or null
     */
    TruncatedTable(Table table, boolean snapshot, TruncatedTable unsaved, File precaution)
    {
        this.table = table;
        this.unsaved = unsaved;
        this.precaution = precaution;
        this.references = new AtomicInteger(snapshot ? 2 : 1);
    }

    /**
     * Takes the snapshots of this generation and of those before it that have none: the oldest, which has the
     * rows, in this folder, and others in numbered ones beside it. After a failure it may be called again.
     *
     * @return how many generations have been saved
     */
    synchronized int saveTo(File folder)
    {
        int before = unsaved == null ? 0 : unsaved.saveTo(folder);
        if (saved)
            return before;
        table.snapshot(before == 0 ? folder.absolutePath() : folder.absolutePath() + '-' + (before + 1));
        saved = true;
        clear(precaution);
        release();
        return before + 1;
    }

    /** Deletes a snapshot that is not needed any more. */
    static void clear(File snapshot)
    {
        try
        {
            if (snapshot != null)
                snapshot.deleteRecursive();
        }
        catch (RuntimeException | Error e)
        {
            logger.warn("Cassiterite could not delete the snapshot {}, which is not needed any more", snapshot, e);
        }
    }

    /** Gives up the snapshots of this generation and of those before it. */
    synchronized void forgetUnsaved()
    {
        if (unsaved != null)
            unsaved.forgetUnsaved();
        if (!saved)
            release();
        saved = true;
    }

    /** Drops one reference; the last one deletes the generation's files. */
    void release()
    {
        if (references.decrementAndGet() > 0)
            return;
        try
        {
            table.retire();
        }
        catch (EngineException e)
        {
            // the table has been dropped, or the store closed; the next start deletes what the catalog does not name
            if (e.kind() != EngineException.Kind.CLOSED)
                throw e;
        }
    }
}
