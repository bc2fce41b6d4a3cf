/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/**
 * The engine's metrics, and the engine's part in Cassandra's own. Classes without a link are Cassandra's.
 * <ul>
 * <li>{@link EngineTableMetrics} is made by CassiteriteFactory.createMemtableMetrics in the constructor of
 *     ColumnFamilyStore, and released by TableMetrics.release. Gauges are read on threads of JMX and of metric
 *     reporters, also before the store is open and after it is closed: they answer 0 then.
 * <li>{@link TableGauges} and {@link CompactionFigures} take the place of gauges of TableMetrics and CompactionMetrics in
 *     the MBean server, and are read on the same threads, without a lock.
 * <li>{@link DiskSpace} and {@link WorkCounters} change counters of TableMetrics on the thread cassiterite-maintenance, and
 *     forget a table on the thread that drops it.
 * </ul>
 */
package io.cassiterite.observe.metrics;
