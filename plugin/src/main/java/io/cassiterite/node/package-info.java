/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/**
 * The ground floor: the node's store and its labels, which tables are the engine's, who else has the plug-in, and what
 * the floors below {@code lifecycle} may ask of the plug-in's life. Classes without a link are Cassandra's.
 * <ul>
 * <li>{@link NodeStore#get} and {@link GuardedNode#life} are called by the memtable's factory and in the constructor of
 *     ColumnFamilyStore, on their threads and under their locks: see {@link io.cassiterite.memtable}.
 * <li>{@link PluginGossip} calls Gossiper.addLocalApplicationState, which takes the gossiper's lock and calls
 *     subscribers: on the thread cassiterite-version-gossip during the start, later on cassiterite-maintenance. Neither
 *     holds a monitor of this package meanwhile. Naming Gossiper initializes it, which only the node's start may do.
 *     Threads of streams and of DDL only read what peers have published.
 * <li>{@link EngineTable} is asked on the path of statements and of schema changes, on any thread. It must stay cheap.
 * <li>{@link ThroughputLimit} and {@link EngineControl} are the maintenance thread's and those of JMX, without a lock.
 * </ul>
 */
package io.cassiterite.node;
