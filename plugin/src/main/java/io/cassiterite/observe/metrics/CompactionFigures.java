/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe.metrics;

import java.util.HashMap;
import java.util.Map;

import javax.management.ObjectName;

import com.codahale.metrics.Gauge;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.compaction.CompactionManager;
import org.apache.cassandra.metrics.CompactionMetrics;
import org.apache.cassandra.utils.MBeanWrapper;

import io.cassiterite.engine.EngineException;
import io.cassiterite.node.EngineControl;
import io.cassiterite.node.EngineTable;
import io.cassiterite.node.StoreReport;

/**
 * Adds the engine's compactions to Cassandra's own metrics of compactions, which nodetool compactionstats shows. For one
 * thread; the gauges may be read from any.
 */
public final class CompactionFigures
{
    private static final String BEAN = "org.apache.cassandra.metrics:type=Compaction,name=";

    private final EngineControl engine;
    private long counted;
    private long countedBytes;

    public CompactionFigures(EngineControl engine)
    {
        this.engine = engine;
    }

    /** Replaces the gauges of what is due, in the MBean server; called once. */
    public void install()
    {
        CompactionMetrics stock = CompactionManager.instance.getMetrics();
        replace("PendingTasks", () -> stock.pendingTasks.getValue() + dueOfEngine());
        replace("PendingTasksByTableName", () -> withEngine(stock.pendingTasksByTableName.getValue()));
    }

    private static void replace(String name, Gauge<?> gauge)
    {
        ObjectName bean = MBeanWrapper.create(BEAN + name, MBeanWrapper.OnException.THROW);
        TableGauges.replace(bean, gauge);
    }

    private int dueOfEngine()
    {
        return EngineTable.open().stream().mapToInt(this::due).sum();
    }

    /** One table that fails, which it says by itself, leaves the figures of the others. */
    private int due(ColumnFamilyStore cfs)
    {
        try
        {
            return TableGauges.pendingCompactions(cfs, engine);
        }
        catch (EngineException e)
        {
            return 0;
        }
    }

    private Map<String, Map<String, Integer>> withEngine(Map<String, Map<String, Integer>> stock)
    {
        Map<String, Map<String, Integer>> all = new HashMap<>(stock);
        for (ColumnFamilyStore cfs : EngineTable.open())
        {
            int due = due(cfs);
            if (due > 0)
                all.computeIfAbsent(cfs.getKeyspaceName(), keyspace -> new HashMap<>()).merge(cfs.name, due, Integer::sum);
        }
        return all;
    }

    /** Counts the compactions that have ended since the last call, and the bytes that they have read. */
    public void update()
    {
        for (Map<String, String> row : StoreReport.parse(engine.report("work")).rows)
            if (row.get("name").equals("compaction"))
                update(Long.parseLong(row.get("ended")), Long.parseLong(row.get("input_bytes")));
    }

    private void update(long ended, long bytes)
    {
        CompactionMetrics metrics = CompactionManager.instance.getMetrics();
        metrics.totalCompactionsCompleted.mark(ended - counted);
        metrics.bytesCompacted.inc(bytes - countedBytes);
        counted = ended;
        countedBytes = bytes;
    }
}
