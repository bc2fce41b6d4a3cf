/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/**
 * nodetool's verbs for engine tables. Classes without a link are Cassandra's.
 * <ul>
 * <li>{@link StorageServiceProxy}, {@link TableProxy} and {@link CompactionManagerProxy} stand in the MBean server in
 *     place of StorageService, ColumnFamilyStore and CompactionManager. The JMX server calls them on its RMI threads,
 *     without a lock. Long work is done in the call. Exceptions must be of the JDK's classes: a JMX client has no others.
 * <li>{@link TableProxy#install} is called by whatever gives a table its managers, under the monitor of the class
 *     ManagerInstaller: by main during the start, the thread of a schema change, a flush, or cassiterite-maintenance.
 * </ul>
 */
package io.cassiterite.observe.nodetool;
