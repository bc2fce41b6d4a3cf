/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe.metrics;

import javax.management.ObjectName;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.Metric;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.metrics.CassandraMetricsRegistry;
import org.apache.cassandra.utils.MBeanWrapper;

import io.cassiterite.engine.TableStats;
import io.cassiterite.node.EngineControl;
import io.cassiterite.observe.tables.SizeEstimates;

/**
 * Cassandra's own metrics of an engine table where only the engine knows the figure. They are replaced in the MBean server,
 * which nodetool and exporters read: Cassandra's registry has its own gauges as long as the table exists.
 */
public final class TableGauges
{
    /** Cassandra counts compactions that are due, the engine bytes: one for each so many. */
    private static final long BYTES_PER_COMPACTION = 256L << 20;

    private final ColumnFamilyStore cfs;
    private final EngineControl engine;
    private final PartitionSizes partitions;

    private TableGauges(ColumnFamilyStore cfs, EngineControl engine)
    {
        this.cfs = cfs;
        this.engine = engine;
        this.partitions = new PartitionSizes(cfs);
    }

    /** Replaces gauges that are registered; Cassandra unregisters them by name when the table is dropped. */
    public static void install(ColumnFamilyStore cfs, EngineControl engine)
    {
        TableGauges gauges = new TableGauges(cfs, engine);
        gauges.replace("SnapshotsSize", "SnapshotsSize", gauges::snapshotBytes);
        gauges.replace("PendingCompactions", "PendingCompactions", gauges::pendingCompactions);
        gauges.replace("MeanPartitionSize", "MeanRowSize", gauges::meanPartitionBytes);
        Gauge<long[]> sizes = cfs.metric.estimatedPartitionSizeHistogram;
        gauges.replace("EstimatedPartitionSizeHistogram", "EstimatedRowSizeHistogram",
                       () -> sum(sizes.getValue(), gauges.partitionBytes()));
        Gauge<long[]> cells = cfs.metric.estimatedColumnCountHistogram;
        gauges.replace("EstimatedColumnCountHistogram", "EstimatedColumnCountHistogram",
                       () -> sum(cells.getValue(), gauges.partitionCells()));
        gauges.replace("MaxPartitionSize", "MaxRowSize", gauges::largestPartitionBytes);
        gauges.replace("MinPartitionSize", "MinRowSize", gauges::smallestPartitionBytes);
        gauges.replaceThoseOfFiles(new FileGauges(cfs, engine));
    }

    private void replaceThoseOfFiles(FileGauges files)
    {
        replace("CompressionRatio", "CompressionRatio", files::compressionRatio);
        replace("PercentRepaired", "PercentRepaired", files::percentRepaired);
        replace("BytesUnrepaired", "BytesUnrepaired", files::unrepairedBytes);
        replaceMetric("UncompressedLiveDiskSpaceUsed", "UncompressedLiveDiskSpaceUsed", files.uncompressedBytes());
        replace(FileGauges.FILTER_BYTES, FileGauges.FILTER_BYTES, files::filterBytes);
    }

    /** @param alias its name where tables are still called column families */
    private void replace(String name, String alias, Gauge<?> gauge)
    {
        replaceMetric(name, alias, gauge);
    }

    private void replaceMetric(String name, String alias, Metric metric)
    {
        replaceBean("Table", name, metric);
        replaceBean("ColumnFamily", alias, metric);
    }

    private void replaceBean(String type, String name, Metric metric)
    {
        String bean = String.format("org.apache.cassandra.metrics:type=%s,keyspace=%s,scope=%s,name=%s",
                                    type, cfs.getKeyspaceName(), cfs.name, name);
        replace(MBeanWrapper.create(bean, MBeanWrapper.OnException.THROW), metric);
    }

    static void replace(ObjectName name, Metric metric)
    {
        if (!MBeanWrapper.instance.isRegistered(name))
            return;
        MBeanWrapper.instance.unregisterMBean(name);
        CassandraMetricsRegistry.Metrics.registerMBean(metric, name);
    }

    private long snapshotBytes()
    {
        return cfs.trueSnapshotsSize() + SnapshotSpace.ownBytes(cfs, engine);
    }

    /** Never 0 while a compaction is due. */
    private int pendingCompactions()
    {
        return cfs.getCompactionStrategyManager().getEstimatedRemainingTasks() + pendingCompactions(cfs, engine);
    }

    static int pendingCompactions(ColumnFamilyStore cfs, EngineControl engine)
    {
        TableStats stats = engine.isOpen() ? engine.stats(cfs.metadata()) : null;
        return stats == null ? 0 : pendingCompactions(stats.pendingCompactionBytes());
    }

    static int pendingCompactions(long bytes)
    {
        return (int) Math.min(Integer.MAX_VALUE, (bytes + BYTES_PER_COMPACTION - 1) / BYTES_PER_COMPACTION);
    }

    /** Uncompressed, as Cassandra counts it. */
    private long meanPartitionBytes()
    {
        return engine.isOpen() ? SizeEstimates.meanPartitionBytes(cfs) : cfs.metric.meanPartitionSize.getValue();
    }

    private long largestPartitionBytes()
    {
        return Math.max(cfs.metric.maxPartitionSize.getValue(), engine.isOpen() ? partitions.largestBytes() : 0);
    }

    /** 0 where there is none. */
    private long smallestPartitionBytes()
    {
        long inSstables = cfs.metric.minPartitionSize.getValue();
        long inEngine = engine.isOpen() ? partitions.smallestBytes() : 0;
        return inSstables == 0 || inEngine == 0 ? Math.max(inSstables, inEngine) : Math.min(inSstables, inEngine);
    }

    private long[] partitionBytes()
    {
        return engine.isOpen() ? partitions.bytes() : new long[0];
    }

    private long[] partitionCells()
    {
        return engine.isOpen() ? partitions.cells() : new long[0];
    }

    static long[] sum(long[] first, long[] second)
    {
        long[] longer = first.length >= second.length ? first.clone() : second.clone();
        long[] shorter = first.length >= second.length ? second : first;
        for (int i = 0; i < shorter.length; i++)
            longer[i] += shorter[i];
        return longer;
    }
}
