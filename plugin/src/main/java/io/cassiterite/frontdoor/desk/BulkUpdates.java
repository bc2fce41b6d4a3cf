/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

import com.codahale.metrics.Histogram;
import com.codahale.metrics.Meter;
import com.codahale.metrics.Reservoir;
import com.codahale.metrics.Timer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.metrics.DecayingEstimatedHistogramReservoir;
import org.apache.cassandra.metrics.LatencyMetrics;
import org.apache.cassandra.metrics.ScalingReservoir;
import org.apache.cassandra.metrics.TableMetrics.TableHistogram;
import org.apache.cassandra.utils.MonotonicClock;

/**
 * Records many events of the same value in Cassandra's metrics for the price of one. They have no method for that, so this
 * uses members that are not public. Where one is missing it records the events one by one.
 */
final class BulkUpdates
{
    private static final Logger logger = LoggerFactory.getLogger(BulkUpdates.class);

    private static final Members MEMBERS = Members.find();

    private BulkUpdates()
    {
    }

    static void record(LatencyMetrics metrics, long nanos, long count)
    {
        Timer timer = metrics.latency;
        if (MEMBERS == null)
        {
            for (long i = 0; i < count; i++)
                timer.update(nanos, TimeUnit.NANOSECONDS);
        }
        else if (count > 0)
        {
            ((Meter) get(MEMBERS.timerMeter, timer)).mark(count);
            record((Histogram) get(MEMBERS.timerHistogram, timer), nanos, count);
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
        if (MEMBERS == null)
        {
            for (long i = 0; i < count; i++)
                histogram.update(value);
            return;
        }
        histogram.update(value);
        ((LongAdder) get(MEMBERS.histogramCount, histogram)).add(count - 1);
        repeat((Reservoir) get(MEMBERS.histogramReservoir, histogram), value, count - 1);
    }

    /** The last value once more, so many times: the reservoir has just made its decay ready for it. */
    private static void repeat(Reservoir reservoir, long value, long count)
    {
        if (reservoir instanceof ScalingReservoir)
        {
            ScalingReservoir.ScaleFunction scale = (ScalingReservoir.ScaleFunction) get(MEMBERS.scale, reservoir);
            repeat((Reservoir) get(MEMBERS.scaled, reservoir), scale.apply(value), count);
        }
        else if (reservoir instanceof DecayingEstimatedHistogramReservoir)
            repeat((DecayingEstimatedHistogramReservoir) reservoir, value, count);
        else
            for (long i = 0; i < count; i++)
                reservoir.update(value);
    }

    private static void repeat(DecayingEstimatedHistogramReservoir reservoir, long value, long count)
    {
        int index = DecayingEstimatedHistogramReservoir.findIndex((long[]) get(MEMBERS.offsets, reservoir), value);
        reservoir.updateBucket((AtomicLongArray) get(MEMBERS.buckets, reservoir), index, count);
        Object decaying = get(MEMBERS.decaying, reservoir);
        long now = ((MonotonicClock) get(MEMBERS.clock, reservoir)).now();
        long weight = weight(decaying, now);
        reservoir.updateBucket((AtomicLongArray) get(MEMBERS.decayingBuckets, decaying), index, weight * count);
    }

    private static long weight(Object decaying, long now)
    {
        try
        {
            return (Long) MEMBERS.weight.invoke(decaying, now);
        }
        catch (ReflectiveOperationException e)
        {
            throw new IllegalStateException(e);
        }
    }

    private static Object get(Field field, Object owner)
    {
        try
        {
            return field.get(owner);
        }
        catch (IllegalAccessException e)
        {
            throw new IllegalStateException(e);
        }
    }

    /** Those that are not public. */
    private static final class Members
    {
        final Field timerMeter = field(Timer.class, "meter", Meter.class);
        final Field timerHistogram = field(Timer.class, "histogram", Histogram.class);
        final Field histogramCount = field(Histogram.class, "count", LongAdder.class);
        final Field histogramReservoir = field(Histogram.class, "reservoir", Reservoir.class);
        final Field scaled = field(ScalingReservoir.class, "delegate", Reservoir.class);
        final Field scale = field(ScalingReservoir.class, "scaleFunc", ScalingReservoir.ScaleFunction.class);
        final Field offsets = field(DecayingEstimatedHistogramReservoir.class, "bucketOffsets", long[].class);
        final Field buckets = field(DecayingEstimatedHistogramReservoir.class, "buckets", AtomicLongArray.class);
        final Field clock = field(DecayingEstimatedHistogramReservoir.class, "clock", MonotonicClock.class);
        final Field decaying = field(DecayingEstimatedHistogramReservoir.class, "decayingBuckets", Object.class);
        final Field decayingBuckets = field(decaying.getType(), "decayBuckets", AtomicLongArray.class);
        final Method weight = weight(decaying.getType());

        static Members find()
        {
            try
            {
                return new Members();
            }
            catch (IllegalStateException e)
            {
                logger.warn("Metrics of native answers are recorded one by one, which takes time", e);
                return null;
            }
        }

        private static Method weight(Class<?> owner)
        {
            try
            {
                Method method = owner.getDeclaredMethod("forwardDecayWeight", long.class);
                method.setAccessible(true);
                return method;
            }
            catch (NoSuchMethodException e)
            {
                throw new IllegalStateException(e);
            }
        }

        private static Field field(Class<?> owner, String name, Class<?> type)
        {
            try
            {
                Field field = owner.getDeclaredField(name);
                field.setAccessible(true);
                if (!type.isAssignableFrom(field.getType()))
                    throw new IllegalStateException(owner + "." + name + " is a " + field.getType());
                return field;
            }
            catch (NoSuchFieldException e)
            {
                throw new IllegalStateException(e);
            }
        }
    }
}
