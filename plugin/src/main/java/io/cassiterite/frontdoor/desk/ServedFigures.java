/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.util.List;
import java.util.function.LongFunction;

import com.codahale.metrics.Meter;

import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.cql3.QueryProcessor;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.ConsistencyLevel;
import org.apache.cassandra.metrics.CassandraMetricsRegistry;
import org.apache.cassandra.metrics.ClientMessageSizeMetrics;
import org.apache.cassandra.metrics.ClientRequestMetrics;
import org.apache.cassandra.metrics.ClientRequestSizeMetrics;
import org.apache.cassandra.metrics.DefaultNameFactory;
import org.apache.cassandra.metrics.LatencyMetrics;
import org.apache.cassandra.metrics.TableMetrics;
import org.apache.cassandra.schema.Schema;
import org.apache.cassandra.schema.TableId;

import io.cassiterite.memtable.CassiteriteMemtable;
import io.cassiterite.memtable.EngineTables;

import static org.apache.cassandra.metrics.ClientRequestsMetricsHolder.readMetrics;
import static org.apache.cassandra.metrics.ClientRequestsMetricsHolder.readMetricsForLevel;
import static org.apache.cassandra.metrics.ClientRequestsMetricsHolder.writeMetrics;
import static org.apache.cassandra.metrics.ClientRequestsMetricsHolder.writeMetricsForLevel;

/**
 * Feeds what the door has served into Cassandra's metrics, so that nodetool and dashboards see all requests. Never the
 * coordinator latency of a table: Cassandra derives from it after what time a forwarded read asks another replica.
 */
final class ServedFigures
{
    private final NativeDoor door;
    private final LongFunction<ClientConnection> connections;

    ServedFigures(NativeDoor door, LongFunction<ClientConnection> connections)
    {
        this.door = door;
        this.connections = connections;
    }

    /** @return what was served since the last call */
    Served collect()
    {
        Served served = Served.parse(door.served());
        served.levels.forEach((code, reads) -> record(readMetrics, readMetricsForLevel(ConsistencyLevel.fromCode(code)),
                                                      reads.latencies, reads.count));
        served.tables.forEach(ServedFigures::record);
        served.writtenLevels.forEach((code, writes) -> record(writeMetrics, writeMetricsForLevel(ConsistencyLevel.fromCode(code)),
                                                              writes.latencies, writes.count));
        served.writtenTables.forEach(ServedFigures::record);
        served.connections.forEach(this::record);
        recordRequests(served);
        return served;
    }

    private static void record(ClientRequestMetrics all, ClientRequestMetrics ofLevel, List<Served.Bucket> latencies, long count)
    {
        record(latencies, all, ofLevel);
        all.localRequests.mark(count);
    }

    private static void record(List<Served.Bucket> latencies, LatencyMetrics... metrics)
    {
        for (Served.Bucket bucket : latencies)
            for (LatencyMetrics some : metrics)
                BulkUpdates.record(some, bucket.nanos, bucket.count);
    }

    private static void record(TableId id, Served.Writes writes)
    {
        ColumnFamilyStore cfs = Schema.instance.getColumnFamilyStoreInstance(id);
        CassiteriteMemtable memtable = EngineTables.find(id);
        if (cfs == null || memtable == null)
            return;
        record(writes.latencies, cfs.metric.writeLatency);
        memtable.statistics().recordCount(writes.count);
    }

    private static void record(TableId id, Served.Reads reads)
    {
        ColumnFamilyStore cfs = Schema.instance.getColumnFamilyStoreInstance(id);
        if (cfs != null) // it has not been dropped since
            record(cfs.metric, reads);
        if (DatabaseDescriptor.getClientRequestSizeMetricsEnabled())
            ClientRequestSizeMetrics.totalRowsRead.inc(reads.rows);
    }

    static void record(TableMetrics metrics, Served.Reads reads)
    {
        record(reads.latencies, metrics.readLatency);
        BulkUpdates.recordTotal(metrics.liveScannedHistogram, reads.liveRows, reads.count);
        BulkUpdates.recordTotal(metrics.tombstoneScannedHistogram, reads.tombstones, reads.count);
        BulkUpdates.recordTotal(metrics.sstablesPerReadHistogram, 0, reads.count);
    }

    private void record(long number, long requests)
    {
        ClientConnection connection = connections.apply(number);
        if (connection != null)
            connection.served(requests);
    }

    private static void recordRequests(Served served)
    {
        long requests = served.requests();
        if (requests == 0)
            return;
        QueryProcessor.metrics.preparedStatementsExecuted.inc(requests);
        requestDispatched().mark(requests);
        ClientMessageSizeMetrics.bytesReceived.inc(served.bytesReceived);
        ClientMessageSizeMetrics.bytesSent.inc(served.bytesSent);
        BulkUpdates.record(ClientMessageSizeMetrics.bytesReceivedPerRequest, served.bytesReceived / requests, requests);
        BulkUpdates.record(ClientMessageSizeMetrics.bytesSentPerResponse, served.bytesSent / requests, requests);
    }

    private static Meter requestDispatched()
    {
        return CassandraMetricsRegistry.Metrics.meter(new DefaultNameFactory("Client").createMetricName("RequestDispatched"));
    }
}
