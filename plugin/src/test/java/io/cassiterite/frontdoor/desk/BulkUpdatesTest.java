/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.util.concurrent.TimeUnit;

import com.codahale.metrics.Histogram;
import com.codahale.metrics.Snapshot;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.apache.cassandra.metrics.CassandraMetricsRegistry;
import org.apache.cassandra.metrics.DefaultNameFactory;
import org.apache.cassandra.metrics.LatencyMetrics;

import io.cassiterite.memtable.TestMemtable;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

/** Events that are recorded together look as if they had been recorded one by one. */
class BulkUpdatesTest
{
    private static int metrics;

    @BeforeAll
    static void initialize()
    {
        TestMemtable.initialize();
    }

    private static LatencyMetrics latencies()
    {
        return new LatencyMetrics("Test", "bulk" + metrics++);
    }

    private static Histogram histogram()
    {
        return CassandraMetricsRegistry.Metrics.histogram(DefaultNameFactory.createMetricName("Test", "bulk" + metrics++, null), true);
    }

    private static void assertSame(Snapshot expected, Snapshot actual)
    {
        assertArrayEquals(expected.getValues(), actual.getValues());
        for (double quantile : new double[]{ 0.01, 0.5, 0.75, 0.95, 0.99, 0.999, 1 })
            assertEquals(expected.getValue(quantile), actual.getValue(quantile));
        assertEquals(expected.getMean(), actual.getMean());
    }

    @Test
    void latenciesOfATimer()
    {
        LatencyMetrics together = latencies();
        LatencyMetrics oneByOne = latencies();
        long[][] events = { { 900, 3 }, { 21_000, 10_000 }, { 480_000, 77 }, { 5_000_000_000L, 1 } };
        for (long[] event : events)
        {
            BulkUpdates.record(together, event[0], event[1]);
            for (int i = 0; i < event[1]; i++)
                oneByOne.addNano(event[0]);
        }
        assertEquals(oneByOne.latency.getCount(), together.latency.getCount());
        assertEquals(oneByOne.totalLatency.getCount(), together.totalLatency.getCount());
        assertSame(oneByOne.latency.getSnapshot(), together.latency.getSnapshot());
    }

    @Test
    void noEventsLeaveNothing()
    {
        LatencyMetrics none = latencies();
        BulkUpdates.record(none, 1_000, 0);
        assertEquals(0, none.latency.getCount());
        assertEquals(0, none.latency.getSnapshot().size());
    }

    @Test
    void valuesOfAHistogram()
    {
        Histogram together = histogram();
        Histogram oneByOne = histogram();
        for (long value : new long[]{ 0, 1, 1, 17, 4_000 })
        {
            BulkUpdates.record(together, value, 50);
            for (int i = 0; i < 50; i++)
                oneByOne.update(value);
        }
        assertEquals(250, together.getCount());
        assertSame(oneByOne.getSnapshot(), together.getSnapshot());
    }

    /** A rate comes from the meter of the timer. */
    @Test
    void theRateCountsEachEvent()
    {
        LatencyMetrics latencies = latencies();
        BulkUpdates.record(latencies, TimeUnit.MICROSECONDS.toNanos(20), 1_000);
        assertEquals(1_000, latencies.latency.getCount());
    }
}
