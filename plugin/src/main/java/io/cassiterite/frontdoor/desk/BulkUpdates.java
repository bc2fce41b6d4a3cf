/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

import com.codahale.metrics.Histogram;
import com.codahale.metrics.Meter;
import com.codahale.metrics.Reservoir;
import com.codahale.metrics.Timer;

import org.apache.cassandra.metrics.DecayingEstimatedHistogramReservoir;
import org.apache.cassandra.metrics.LatencyMetrics;
import org.apache.cassandra.metrics.ScalingReservoir;
import org.apache.cassandra.metrics.TableMetrics.TableHistogram;
import org.apache.cassandra.utils.MonotonicClock;

import static io.cassiterite.reflect.PrivateMember.DECAYING_BUCKETS;
import static io.cassiterite.reflect.PrivateMember.DECAYING_WEIGHT;
import static io.cassiterite.reflect.PrivateMember.HISTOGRAM_COUNT;
import static io.cassiterite.reflect.PrivateMember.HISTOGRAM_RESERVOIR;
import static io.cassiterite.reflect.PrivateMember.RESERVOIR_BUCKETS;
import static io.cassiterite.reflect.PrivateMember.RESERVOIR_CLOCK;
import static io.cassiterite.reflect.PrivateMember.RESERVOIR_DECAYING;
import static io.cassiterite.reflect.PrivateMember.RESERVOIR_OFFSETS;
import static io.cassiterite.reflect.PrivateMember.RESERVOIR_SCALE;
import static io.cassiterite.reflect.PrivateMember.SCALED_RESERVOIR;
import static io.cassiterite.reflect.PrivateMember.TIMER_HISTOGRAM;
import static io.cassiterite.reflect.PrivateMember.TIMER_METER;

/**
 * Records many events of the same value in Cassandra's metrics for the price of one. They have no method for that, so this
 * uses members that are not public.
 */
final class BulkUpdates
{
    private BulkUpdates()
    {
    }

    static void record(LatencyMetrics metrics, long nanos, long count)
    {
        Timer timer = metrics.latency;
        if (count > 0)
        {
            ((Meter) TIMER_METER.get(timer)).mark(count);
            record((Histogram) TIMER_HISTOGRAM.get(timer), nanos, count);
        }
        metrics.totalLatency.inc(TimeUnit.NANOSECONDS.toMicros(nanos) * count);
    }

    /** Spreads a total over events as evenly as whole numbers can be. */
    static void recordTotal(TableHistogram histogram, long total, long count)
    {
        if (count <= 0)
            return;
        long larger = total % count;
        for (Histogram one : histogram.all)
        {
            record(one, total / count, count - larger);
            record(one, total / count + 1, larger);
        }
    }

    static void record(Histogram histogram, long value, long count)
    {
        if (count <= 0)
            return;
        histogram.update(value);
        ((LongAdder) HISTOGRAM_COUNT.get(histogram)).add(count - 1);
        repeat((Reservoir) HISTOGRAM_RESERVOIR.get(histogram), value, count - 1);
    }

    /** The last value once more, so many times: the reservoir has just made its decay ready for it. */
    private static void repeat(Reservoir reservoir, long value, long count)
    {
        if (reservoir instanceof ScalingReservoir)
        {
            ScalingReservoir.ScaleFunction scale = (ScalingReservoir.ScaleFunction) RESERVOIR_SCALE.get(reservoir);
            repeat((Reservoir) SCALED_RESERVOIR.get(reservoir), scale.apply(value), count);
        }
        else if (reservoir instanceof DecayingEstimatedHistogramReservoir)
            repeat((DecayingEstimatedHistogramReservoir) reservoir, value, count);
        else
            for (long i = 0; i < count; i++)
                reservoir.update(value);
    }

    private static void repeat(DecayingEstimatedHistogramReservoir reservoir, long value, long count)
    {
        int index = DecayingEstimatedHistogramReservoir.findIndex((long[]) RESERVOIR_OFFSETS.get(reservoir), value);
        reservoir.updateBucket((AtomicLongArray) RESERVOIR_BUCKETS.get(reservoir), index, count);
        Object decaying = RESERVOIR_DECAYING.get(reservoir);
        long now = ((MonotonicClock) RESERVOIR_CLOCK.get(reservoir)).now();
        long weight = (Long) DECAYING_WEIGHT.invoke(decaying, now);
        reservoir.updateBucket((AtomicLongArray) DECAYING_BUCKETS.get(decaying), index, weight * count);
    }
}
