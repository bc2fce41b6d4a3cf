/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe.metrics;

import java.util.List;
import java.util.Map;

import com.codahale.metrics.Gauge;

import org.apache.cassandra.metrics.CassandraMetricsRegistry;
import org.apache.cassandra.metrics.CassandraMetricsRegistry.MetricName;

import io.cassiterite.frontdoor.FrontDoor;
import io.cassiterite.node.EngineControl;
import io.cassiterite.node.StoreReport;

/**
 * Every figure of the reports on caches and stalls as a gauge {@code org.apache.cassandra.metrics:type=Cassiterite,
 * scope=ROW,name=FIGURE}, every counter of the front door as one of the scope front_door, and whether the engine refuses writes. The
 * names are those of the virtual tables: exporters make lower case of names, after which those in camel case are hard to read.
 */
public final class EngineMetrics
{
    private static final String GROUP = "org.apache.cassandra.metrics";
    private static final String TYPE = "Cassiterite";

    private EngineMetrics()
    {
    }

    /** Registers the gauges; called once, when the store is open. */
    public static void register(EngineControl engine)
    {
        gauge("store", "background_error", () -> engine.isOpen() && engine.backgroundError() != null ? 1L : 0L);
        for (String topic : List.of("caches", "stalls"))
            register(engine, topic);
        registerFrontDoor();
    }

    private static void register(EngineControl engine, String topic)
    {
        RecentReport report = RecentReport.ofEngine(engine, topic);
        StoreReport sample = report.get();
        if (sample.columns.isEmpty())
            return;
        String key = sample.columns.get(0);
        for (Map<String, String> row : sample.rows)
            for (String figure : sample.columns.subList(1, sample.columns.size()))
                gauge(row.get(key), figure, () -> report.figure(found -> found.get(key).equals(row.get(key)), figure));
    }

    private static void registerFrontDoor()
    {
        RecentReport report = new RecentReport(() -> true, FrontDoor.instance::report);
        for (Map<String, String> row : report.get().rows)
        {
            String name = row.get("name");
            gauge("front_door", name, () -> report.figure(found -> found.get("name").equals(name), "count"));
        }
    }

    private static void gauge(String scope, String name, Gauge<? extends Number> gauge)
    {
        String bean = String.format("%s:type=%s,scope=%s,name=%s", GROUP, TYPE, scope, name);
        CassandraMetricsRegistry.Metrics.register(new MetricName(GROUP, TYPE, name, scope, bean), gauge);
    }
}
