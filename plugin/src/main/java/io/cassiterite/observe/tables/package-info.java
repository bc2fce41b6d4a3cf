/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/**
 * Tables of the node that tell of the engine: virtual ones, and rows in Cassandra's own system tables. Classes without a
 * link are Cassandra's.
 * <ul>
 * <li>{@link ReportTable} is read by the virtual-table commands of SinglePartitionReadCommand and
 *     PartitionRangeReadCommand, on Native-Transport-Requests. It must not wait for background work of the engine.
 * <li>{@link SizeEstimates#written} is called for every write of the node, by way of StorageHook.reportWrite. Only
 *     writes of SizeEstimatesRecorder on the thread OptionalTasks count; the correction runs on the same thread.
 * <li>{@link CompactionHistory} writes on the thread cassiterite-maintenance, without a lock.
 * </ul>
 */
package io.cassiterite.observe.tables;
