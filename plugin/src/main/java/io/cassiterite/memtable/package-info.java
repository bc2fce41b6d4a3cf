/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/**
 * The memtable that is the table: writes, reads, scans, TRUNCATE, DROP and snapshots. Classes without a link are
 * Cassandra's. CFS is ColumnFamilyStore.
 * <ul>
 * <li>{@link CassiteriteMemtable#factory} is called by MemtableParams.parseConfiguration when a configuration is first
 *     used. Threads: main (Schema.loadFromDisk), Native-Transport-Requests (DDL), MigrationStage (DDL of peers). Lock:
 *     the monitor of MemtableParams.CONFIGURATIONS. It must not wait for StorageService's monitor: a joining node holds
 *     that one while it waits for the schema.
 * <li>{@link CassiteriteFactory#create} is called by the constructor of CFS, under the monitor of the class CFS.
 *     Threads: main at the start, later the one that applies a schema change, under the monitors of
 *     DefaultSchemaUpdateHandler and Schema. It must not use the table's tracker, indexes or managers, which are still
 *     null. TRUNCATE and DROP call it, too: in the constructor of CFS.Flush, under the monitor of the table's Tracker.
 * <li>{@code accepts} (from Tracker.getMemtableFor) and {@code put} are called by CFS.apply in a group of
 *     Keyspace.writeOrder, by many threads at once. Threads: MutationStage, CounterMutationStage,
 *     Native-Transport-Requests (local writes), StreamReceiveTask (sstables of a peer). They must not keep or change
 *     the update, nor wait for a flush: CFS.Flush of every table waits for such groups.
 * <li>The read methods are called by SinglePartitionReadCommand and PartitionRangeReadCommand in a group of the table's
 *     readOrdering, on ReadStage or the thread of a local read. The caller closes the iterators. But
 *     CompactionController.getPurgeEvaluator calls {@code rowIterator(key)} on CompactionExecutor, without a group, and
 *     never closes it: that iterator must not pin anything before it is used.
 * <li>{@code shouldSwitch} is called by CFS.forceFlush(FlushReason) under the monitor of the table's Tracker. Threads:
 *     JMX (nodetool flush, drain), MutationStage (TRUNCATE), NonPeriodicTasks (streams), StreamReceiveTask, main (after
 *     the replay). CFS.reload, invalidateLocalRanges and snapshot call it without that monitor. What takes long there
 *     delays the table's other flushes and switches; it must not wait for one of them.
 * <li>{@code metadataUpdated} is called by CFS.reload: by main at the end of the start, by the thread of a schema
 *     change under its two monitors. It must not throw: the schema would be half applied.
 * <li>{@code performSnapshot} is called by CFS.snapshot. Threads: JMX, MutationStage (TRUNCATE, under the monitor of
 *     the CFS), the thread of a schema change (DROP).
 * <li>{@code discard} is called by CFS.Flush.reclaim after a barrier of readOrdering, on MemtableReclaimMemory. This
 *     one thread frees the memtables of all tables: {@code discard} must not wait for reads.
 * <li>{@link NullBounds} and {@link TupleParts} are asked by the query handler for every request of a client, on
 *     Native-Transport-Requests, without a lock. For all that they never refuse they must stay cheap.
 * <li>{@link MaxPurgeableTimestamp#handleNotification} is called by Tracker, without its lock, on the thread that
 *     changes the table's sstables. It must not throw: a flush, compaction or import would fail.
 * </ul>
 */
package io.cassiterite.memtable;
