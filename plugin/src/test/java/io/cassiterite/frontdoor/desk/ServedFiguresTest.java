/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.apache.cassandra.cql3.QueryProcessor;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.ConsistencyLevel;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.metrics.ClientMessageSizeMetrics;
import org.apache.cassandra.metrics.ClientRequestMetrics;
import org.apache.cassandra.metrics.ClientRequestsMetricsHolder;
import org.apache.cassandra.metrics.TableMetrics;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.schema.TableMetadata;

import io.cassiterite.OwnJvm;
import io.cassiterite.memtable.TestTables;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

@OwnJvm
class ServedFiguresTest
{
    private final FakeDoor door = new FakeDoor();
    private final FakeConnection connection = new FakeConnection("reader", "10.0.0.1");
    private final ServedFigures figures = new ServedFigures(door, number -> number == 7 ? connection : null);
    private final UUID table = UUID.randomUUID();

    @BeforeAll
    static void initialize()
    {
        TestTables.initialize();
    }

    /** 100 reads at ONE of one table, by two connections, of which one has closed since. */
    private byte[] served()
    {
        return served(0);
    }

    /** The same, and 100 writes to each of so many tables. */
    private byte[] served(int written)
    {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes))
        {
            out.writeInt(1);
            out.writeLong(table.getMostSignificantBits());
            out.writeLong(table.getLeastSignificantBits());
            for (long figure : new long[]{ 100, 60, 70, 250 })
                out.writeLong(figure);
            buckets(out);
            out.writeInt(1);
            out.writeShort(ConsistencyLevel.ONE.code);
            out.writeLong(100);
            buckets(out);
            out.writeInt(2);
            for (long figure : new long[]{ 7, 99, 8, 1 })
                out.writeLong(figure);
            out.writeLong(5_000);
            out.writeLong(20_000);
            out.writeInt(1);
            out.write(FakeDoor.id('a').bytes);
            out.writeLong(100);
            out.writeByte(1);
            out.writeInt(written);
            for (int i = 0; i < written; i++)
            {
                out.writeLong(table.getMostSignificantBits());
                out.writeLong(table.getLeastSignificantBits() + i);
                out.writeLong(100);
                buckets(out);
            }
            out.writeInt(written);
            for (int i = 0; i < written; i++)
            {
                out.writeShort(ConsistencyLevel.ONE.code + i);
                out.writeLong(100);
                buckets(out);
            }
        }
        catch (IOException e)
        {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static void buckets(DataOutputStream out) throws IOException
    {
        out.writeInt(2);
        for (long figure : new long[]{ 20_000, 90, 400_000, 10 })
            out.writeLong(figure);
    }

    @Test
    void whatTheDoorSaysIsUnderstood()
    {
        Served served = Served.parse(served());
        Served.Reads reads = served.tables.get(TableId.fromUUID(table));
        assertEquals(100, reads.count);
        assertEquals(60, reads.rows);
        assertEquals(70, reads.liveRows);
        assertEquals(250, reads.tombstones);
        assertEquals(400_000, reads.latencies.get(1).nanos);
        assertEquals(10, reads.latencies.get(1).count);
        assertEquals(Set.of(ConsistencyLevel.ONE.code), served.levels.keySet());
        assertEquals(Map.of(7L, 99L, 8L, 1L), served.connections);
        assertEquals(5_000, served.bytesReceived);
        assertEquals(20_000, served.bytesSent);
        assertEquals(Served.Audition.SERVING, served.statements.get(FakeDoor.id('a')).audition);
        assertEquals(100, served.requests());
    }

    @Test
    void moreThanThatIsNotUnderstood()
    {
        byte[] longer = new byte[served().length + 1];
        System.arraycopy(served(), 0, longer, 0, longer.length - 1);
        assertThrows(IllegalStateException.class, () -> Served.parse(longer));
    }

    @Test
    void cassandrasMetricsCountNativeReads()
    {
        ClientRequestMetrics all = ClientRequestsMetricsHolder.readMetrics;
        ClientRequestMetrics one = ClientRequestsMetricsHolder.readMetricsForLevel(ConsistencyLevel.ONE);
        long reads = all.latency.getCount();
        long micros = all.totalLatency.getCount();
        long local = all.localRequests.getCount();
        long executed = QueryProcessor.metrics.preparedStatementsExecuted.getCount();
        long received = ClientMessageSizeMetrics.bytesReceived.getCount();
        long requests = ClientMessageSizeMetrics.bytesSentPerResponse.getCount();
        door.served = served();
        figures.collect();
        assertEquals(reads + 100, all.latency.getCount());
        assertEquals(micros + 90 * 20 + 10 * 400, all.totalLatency.getCount());
        assertEquals(reads + 100, one.latency.getCount());
        assertEquals(local + 100, all.localRequests.getCount());
        assertEquals(executed + 100, QueryProcessor.metrics.preparedStatementsExecuted.getCount());
        assertEquals(received + 5_000, ClientMessageSizeMetrics.bytesReceived.getCount());
        assertEquals(requests + 100, ClientMessageSizeMetrics.bytesSentPerResponse.getCount());
        assertEquals(99, connection.requests);
    }

    @Test
    void cassandrasMetricsCountNativeWrites()
    {
        ClientRequestMetrics all = ClientRequestsMetricsHolder.writeMetrics;
        ClientRequestMetrics one = ClientRequestsMetricsHolder.writeMetricsForLevel(ConsistencyLevel.ONE);
        long executed = QueryProcessor.metrics.preparedStatementsExecuted.getCount();
        door.served = served(2);
        assertEquals(300, figures.collect().requests());
        assertEquals(200, all.latency.getCount());
        assertEquals(2 * (90 * 20 + 10 * 400), all.totalLatency.getCount());
        assertEquals(100, one.latency.getCount());
        assertEquals(200, all.localRequests.getCount());
        assertEquals(executed + 300, QueryProcessor.metrics.preparedStatementsExecuted.getCount());
    }

    /** F25: those of the coordinator decide after what time Cassandra asks another replica. */
    @Test
    void aTablesMetricsCountNativeReadsButNotTheCoordinators()
    {
        TableMetadata orders = TableMetadata.builder("shop", "orders", TableId.generate())
                                            .addPartitionKeyColumn("k", Int32Type.instance).build();
        ColumnFamilyStore cfs = TestTables.open(orders);
        TableMetrics metrics = cfs.metric;
        ServedFigures.record(metrics, Served.parse(served()).tables.get(TableId.fromUUID(table)));
        assertEquals(100, metrics.readLatency.latency.getCount());
        assertEquals(100, metrics.liveScannedHistogram.cf.getCount());
        assertEquals(1, metrics.liveScannedHistogram.cf.getSnapshot().getMax());
        assertEquals(100, metrics.tombstoneScannedHistogram.cf.getCount());
        assertEquals(2.5, metrics.tombstoneScannedHistogram.cf.getSnapshot().getMean(), 0.001);
        assertEquals(100, metrics.sstablesPerReadHistogram.cf.getCount());
        assertEquals(100, cfs.keyspace.metric.readLatency.latency.getCount());
        assertEquals(0, metrics.coordinatorReadLatency.getCount());
        assertEquals(0, metrics.coordinatorWriteLatency.getCount());
    }
}
