/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.lifecycle;

import java.util.List;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.schema.TableMetadata;

import io.cassiterite.engine.BackgroundWork;
import io.cassiterite.engine.TableStats;
import io.cassiterite.engine.Turns;
import io.cassiterite.memtable.EngineTables;
import io.cassiterite.node.EngineControl;
import io.cassiterite.node.EngineTable;
import io.cassiterite.observe.metrics.DiskSpace;
import io.cassiterite.observe.metrics.WorkCounters;
import io.cassiterite.observe.nodetool.TableProxy;

/** The set-up of engine tables: managers, markers, MBeans, and Cassandra's counters of them. Thread-safe. */
final class EngineTableSetup
{
    private static final Logger logger = LoggerFactory.getLogger(EngineTableSetup.class);

    private final EngineControl engine;
    private final MarkerWriter markers;
    private final DiskSpace diskSpace = new DiskSpace();
    private final WorkCounters work = new WorkCounters();
    private final Turns turns = new Turns();

    EngineTableSetup(EngineControl engine)
    {
        this.engine = engine;
        this.markers = new MarkerWriter(engine);
    }

    /** A table has been created or changed; returns when it is safe to stream, repair and restart. */
    void prepare(ColumnFamilyStore cfs)
    {
        if (!ManagerInstaller.ensurePatched(cfs))
            throw new IllegalStateException(cfs.metadata() + " is still under construction");
        markers.mark(cfs);
        // It is tried again every second, and no reason to stop the node.
        followCompactionSwitch(cfs);
    }

    /** A table has got its managers: its MBeans follow. */
    void installProxy(ColumnFamilyStore cfs)
    {
        try
        {
            TableProxy.install(cfs, engine);
        }
        catch (RuntimeException e)
        {
            logger.error("The MBean of {} could not be replaced: what it reports lacks the engine's part", cfs.metadata(), e);
        }
    }

    /** A stock table has been created, perhaps with the id, and so in the folder, of an engine table that was dropped. */
    void createdElsewhere(TableMetadata table)
    {
        MarkerWriter.remove(table);
    }

    void dropped(TableMetadata table)
    {
        markers.forget(table.id);
        diskSpace.forget(table.id);
        work.forget(table.id);
    }

    /**
     * Brings markers and purging of all tables up to date, and counters of some, in their turns; deletes what a DROP could
     * not. For the maintenance thread.
     */
    void refresh()
    {
        List<ColumnFamilyStore> open = EngineTable.open();
        for (ColumnFamilyStore cfs : open)
            BackgroundWork.attempt("Maintenance of " + cfs.metadata(), () -> refresh(cfs));
        for (ColumnFamilyStore cfs : turns.of(open))
            BackgroundWork.attempt("Counting the work of " + cfs.metadata(), () -> count(cfs));
        if (engine.backgroundError() == null)
            BackgroundWork.attempt("Deleting dropped tables", EngineTables::deleteDropped);
    }

    /** The engine compacts a table with a damaged file no more once it is told so. */
    void followCompactionSwitches()
    {
        for (ColumnFamilyStore cfs : EngineTable.open())
            followCompactionSwitch(cfs);
    }

    private void followCompactionSwitch(ColumnFamilyStore cfs)
    {
        BackgroundWork.attempt("Switching automatic compaction of " + cfs.metadata(), () -> engine.followCompactionSwitch(cfs));
    }

    private void refresh(ColumnFamilyStore cfs)
    {
        markers.mark(cfs);
        engine.catchUp(cfs);
        engine.followCompactionSwitch(cfs);
    }

    private void count(ColumnFamilyStore cfs)
    {
        TableStats stats = engine.stats(cfs.metadata());
        if (stats == null)
            return;
        diskSpace.update(cfs, stats.sstBytes());
        work.update(cfs, stats);
    }
}
