/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/**
 * Start, background work and end of the plug-in in a node. Classes without a link are Cassandra's.
 * <ul>
 * <li>{@link StartGuard} is made by StorageHook.createHook in the static initializer of StorageHook, on the thread
 *     main. The first read by key of a system table causes it: SystemKeyspace.checkHealth in
 *     CassandraDaemon.runStartupChecks, before Schema.loadFromDisk. The constructor must not read a table by key,
 *     because StorageHook.instance is still null. It must not initialize Gossiper or StorageService: initializers of
 *     such classes depend on each other.
 * <li>{@code reportWrite} is called by ColumnFamilyStore.apply, in a group of Keyspace.writeOrder. {@code reportRead}
 *     and {@code makeRowIterator} are called by SinglePartitionReadCommand. All run for every table of the node, on any
 *     thread that writes or reads: once the managers are installed they must cost next to nothing.
 * <li>{@link NodeLife} answers what lower packages ask by way of {@link io.cassiterite.node.GuardedNode}. The memtable's
 *     factory calls {@link Plugin#start} through it, on its thread and under its locks: see
 *     {@link io.cassiterite.memtable}.
 * <li>{@link ManagerInstaller} replaces ColumnFamilyStore.streamManager and repairManager by reflection. The
 *     constructor of ColumnFamilyStore sets both after all that it calls of ours, so they are set later: by the storage
 *     hook during the start, by the schema listener for new tables, by {@code shouldSwitch(STREAMING)}, and by the
 *     maintenance thread.
 * <li>The shutdown hook is called by StorageService.drain as a post-shutdown hook, under StorageService's monitor.
 *     Threads: StorageServiceShutdownHook, or a JMX thread in nodetool drain, after which the process lives on.
 *     Cassandra's scheduled executors have ended by then. The hook must not wait for a thread that needs
 *     StorageService's monitor.
 * <li>The thread cassiterite-maintenance is the plug-in's own. It holds no lock of Cassandra. Until
 *     StorageService.isDaemonSetupCompleted it must not touch more of Cassandra than StorageService: two threads that
 *     enter a circle of static initializers wait for each other for ever.
 * </ul>
 */
package io.cassiterite.lifecycle;
