/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.Directories;
import org.apache.cassandra.io.util.File;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.utils.Clock;

import io.cassiterite.engine.SnapshotFiles;
import io.cassiterite.engine.Store;
import io.cassiterite.engine.Table;
import io.cassiterite.node.IncrementalBackups;
import io.cassiterite.node.StoreReport;

/**
 * Brings what the store keeps for incremental backups into the folders {@code backups} of its tables. Until then it waits in the
 * store, over restarts too. Thread-safe.
 */
public final class Increments
{
    private static final Logger logger = LoggerFactory.getLogger(Increments.class);

    /** After a failure, for one of a full disk does not end by itself. */
    private static final long PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private static volatile long failedNanos;
    private static volatile boolean hasFailed;

    private Increments()
    {
    }

    /** For the maintenance thread; logs failures. */
    public static void bring(Store store)
    {
        if (store == null)
            return;
        IncrementalBackups.follow(store);
        if (!hasFailed || Clock.Global.nanoTime() - failedNanos > PAUSE_NANOS)
            bringAll(store);
    }

    /** @return what failed, for people; it has been logged, and what waits is brought later */
    public static List<String> bringAll(Store store)
    {
        List<String> failures = new ArrayList<>();
        for (Map<String, String> row : StoreReport.parse(store.report("increments")).rows)
        {
            CassiteriteMemtable memtable = EngineTables.find(TableId.fromString(row.get("table_id")));
            ColumnFamilyStore cfs = memtable == null ? null : memtable.cfs();
            if (cfs != null && memtable.table() != null)
                bring(cfs, memtable.table(), failures);
        }
        hasFailed = !failures.isEmpty();
        failedNanos = Clock.Global.nanoTime();
        return failures;
    }

    private static void bring(ColumnFamilyStore cfs, Table table, List<String> failures)
    {
        try
        {
            if (cfs.metadata().params.incrementalBackups && !Boolean.getBoolean(IncrementalBackups.WITHOUT))
                table.backUp(folder(cfs));
            else
                table.forgetIncrements();
        }
        catch (RuntimeException e)
        {
            logger.error("The incremental backup of {} has failed; the rows are in the table", cfs.metadata(), e);
            failures.add(cfs.metadata() + ": " + e.getMessage());
        }
    }

    private static String folder(ColumnFamilyStore cfs)
    {
        File tableDirectory = cfs.getDirectories().getCFDirectories().get(0);
        return new File(tableDirectory, Directories.BACKUPS_SUBDIR + '/' + SnapshotFiles.FOLDER).toString();
    }
}
