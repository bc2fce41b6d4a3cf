/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe.metrics;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.cassiterite.node.EngineControl;
import io.cassiterite.node.StoreReport;

/** A report that is read at most once a second, however many gauges use it. Safe from any thread. */
final class RecentReport
{
    private static final long LIFE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final BooleanSupplier isThere;
    private final Supplier<String> read;
    private StoreReport report = StoreReport.parse("");
    private long readAtNanos = System.nanoTime() - LIFE_NANOS;

    RecentReport(BooleanSupplier isThere, Supplier<String> read)
    {
        this.isThere = isThere;
        this.read = read;
    }

    static RecentReport ofEngine(EngineControl engine, String topic)
    {
        return new RecentReport(engine::isOpen, () -> engine.report(topic));
    }

    /** @return a report without rows before there is one, and the last one once there is none any more */
    synchronized StoreReport get()
    {
        long now = System.nanoTime();
        if (isThere.getAsBoolean() && now - readAtNanos >= LIFE_NANOS)
        {
            report = StoreReport.parse(read.get());
            readAtNanos = now;
        }
        return report;
    }

    /** @return the figure of the first row that is meant; 0 where there is none */
    Number figure(Predicate<Map<String, String>> isMeant, String name)
    {
        return get().rows.stream().filter(isMeant).findFirst().map(row -> number(row.get(name))).orElse(0L);
    }

    private static Number number(String text)
    {
        if (text.isEmpty())
            return 0L;
        try
        {
            return Long.valueOf(text);
        }
        catch (NumberFormatException e)
        {
            return Double.valueOf(text);
        }
    }
}
