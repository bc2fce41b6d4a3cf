/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

import com.codahale.metrics.Gauge;

import org.apache.cassandra.metrics.CassandraMetricsRegistry;
import org.apache.cassandra.metrics.CassandraMetricsRegistry.MetricName;
import org.apache.cassandra.metrics.TableMetrics;
import org.apache.cassandra.schema.TableMetadata;

import io.cassiterite.engine.TableStats;
import io.cassiterite.lifecycle.EngineControl;

/** The engine's figures of one table, beside Cassandra's own metrics of the table and under the same names. */
public final class EngineTableMetrics implements TableMetrics.ReleasableMetric
{
    private static final String GROUP = "org.apache.cassandra.metrics";
    private static final String TYPE = "Table";

    private final TableMetadata table;
    private final EngineControl engine;
    private final List<MetricName> registered = new ArrayList<>();

    public EngineTableMetrics(TableMetadata table, EngineControl engine)
    {
        this.table = table;
        this.engine = engine;
        gauge("CassiteriteEstimatedKeys", TableStats::estimatedKeys);
        gauge("CassiteriteSstFiles", TableStats::liveSstFiles);
        gauge("CassiteriteSstBytes", TableStats::sstBytes);
        gauge("CassiteriteMemtableBytes", TableStats::memtableBytes);
        gauge("CassiteritePendingCompactionBytes", TableStats::pendingCompactionBytes);
        gauge("CassiteriteWrites", TableStats::writesSinceOpen);
        gauge("CassiteriteReads", TableStats::readsSinceOpen);
        gauge("CassiteriteBytesWritten", TableStats::bytesWrittenSinceOpen);
        gauge("CassiteriteGeneration", TableStats::generation);
    }

    private void gauge(String name, ToLongFunction<TableStats> figure)
    {
        MetricName metric = name(name);
        CassandraMetricsRegistry.Metrics.register(metric, (Gauge<Long>) () -> read(figure));
        registered.add(metric);
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
