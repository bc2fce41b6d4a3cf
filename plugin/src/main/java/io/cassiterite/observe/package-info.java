/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/**
 * What operators see and call: MBeans, nodetool's verbs, virtual tables, metrics, estimates. Classes without a link are
 * Cassandra's.
 * <ul>
 * <li>{@link StorageServiceProxy} and {@link TableProxy} stand in the MBean server in place of StorageService and
 *     ColumnFamilyStore, and {@link Engine} beside them. The JMX server calls them on its RMI threads, without a lock.
 *     Long work is done in the call. Exceptions must be of the JDK's classes: a JMX client has no others.
 * <li>{@link ReportTable} is read by the virtual-table commands of SinglePartitionReadCommand and
 *     PartitionRangeReadCommand, on Native-Transport-Requests. It must not wait for background work of the engine.
 * <li>{@link EngineTableMetrics} is made by CassiteriteFactory.createMemtableMetrics in the constructor of
 *     ColumnFamilyStore, and released by TableMetrics.release. Gauges are read on threads of JMX and of metric
 *     reporters, also before the store is open and after it is closed: they answer 0 then.
 * <li>{@link SizeEstimates#written} is called for every write of the node, by way of StorageHook.reportWrite. Only
 *     writes of SizeEstimatesRecorder on the thread OptionalTasks count; the correction runs on the same thread.
 * </ul>
 * The thread cassiterite-maintenance registers all of them.
 */
package io.cassiterite.observe;
