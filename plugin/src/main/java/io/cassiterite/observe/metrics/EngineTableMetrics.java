/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe.metrics;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToLongFunction;

import com.codahale.metrics.Gauge;

import org.apache.cassandra.metrics.CassandraMetricsRegistry;
import org.apache.cassandra.metrics.CassandraMetricsRegistry.MetricName;
import org.apache.cassandra.metrics.TableMetrics;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.schema.TableMetadataRef;

import io.cassiterite.engine.TableStats;
import io.cassiterite.node.EngineControl;

/** The engine's figures of one table, beside Cassandra's own metrics of the table; named as in the virtual tables. */
public final class EngineTableMetrics implements TableMetrics.ReleasableMetric
{
    private static final String GROUP = "org.apache.cassandra.metrics";
    private static final String TYPE = "Table";
    /** Figures of the report of tables that operators alert on. */
    private static final List<String> OF_REPORT = List.of("merge_failures", "side_family_bytes", "level0_files",
                                                          "automatic_compaction");

    private final TableMetadata table;
    private final EngineControl engine;
    private final List<MetricName> registered = new ArrayList<>();

    private EngineTableMetrics(TableMetadata table, EngineControl engine, RecentReport tables)
    {
        this.table = table;
        this.engine = engine;
        gauge("keys_estimated", TableStats::estimatedKeys);
        gauge("sst_files", TableStats::liveSstFiles);
        gauge("sst_bytes", TableStats::sstBytes);
        gauge("memtable_bytes", TableStats::memtableBytes);
        gauge("pending_compaction_bytes", TableStats::pendingCompactionBytes);
        gauge("writes", TableStats::writesSinceOpen);
        gauge("reads", TableStats::readsSinceOpen);
        gauge("written_bytes", TableStats::bytesWrittenSinceOpen);
        gauge("generation", TableStats::generation);
        for (String figure : OF_REPORT)
            gauge(figure, () -> tables.figure(this::isOfTable, figure));
    }

    /** What makes the metrics of each table; their report is read for all of them together. */
    public static Function<TableMetadataRef, TableMetrics.ReleasableMetric> of(EngineControl engine)
    {
        RecentReport tables = RecentReport.ofEngine(engine, "tables");
        return table -> new EngineTableMetrics(table.get(), engine, tables);
    }

    private void gauge(String figure, ToLongFunction<TableStats> stats)
    {
        gauge(figure, () -> read(stats));
    }

    private void gauge(String figure, Gauge<Number> gauge)
    {
        MetricName metric = name("cassiterite_" + figure);
        CassandraMetricsRegistry.Metrics.register(metric, gauge);
        registered.add(metric);
    }

    private boolean isOfTable(Map<String, String> row)
    {
        boolean isIndex = !row.get("index_name").isEmpty();
        return !isIndex && row.get("keyspace_name").equals(table.keyspace) && row.get("table_name").equals(table.name);
    }

    private long read(ToLongFunction<TableStats> figure)
    {
        if (!engine.isOpen())
            return 0;
        TableStats stats = engine.stats(table);
        return stats == null ? 0 : figure.applyAsLong(stats);
    }

    private MetricName name(String name)
    {
        String bean = String.format("%s:type=%s,keyspace=%s,scope=%s,name=%s", GROUP, TYPE, table.keyspace, table.name, name);
        return new MetricName(GROUP, TYPE, name, table.keyspace + '.' + table.name, bean);
    }

    @Override
    public void release()
    {
        registered.forEach(CassandraMetricsRegistry.Metrics::remove);
        registered.clear();
    }
}
