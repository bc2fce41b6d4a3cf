/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/**
 * Indexes of engine tables (docs/internals/index.md). Classes without a link are Cassandra's.
 * <ul>
 * <li>{@link EngineIndex} is made by SecondaryIndexManager when a table is opened or gets an index, under the monitors of
 *     the manager and, for DDL, of Schema. Its tasks run on SecondaryIndexManagement (first build) or the caller's thread.
 * <li>{@link IndexGroup} is asked by ColumnFamilyStore.apply for each write, within the write's OpOrder group. What it
 *     gives ends in the memtable's put, on the same thread. It must not block.
 * <li>{@link IndexSearcher} is called by ReadCommand.executeLocally on ReadStage, within the table's read order: a
 *     generation that a query reads stays until the query ends.
 * <li>{@link IndexBuild} runs on SecondaryIndexExecutor of CompactionManager. It waits for all writes that have begun.
 * <li>{@link IndexedBulkLoad} runs on the thread that takes files in: of a stream, or of JMX.
 * </ul>
 */
package io.cassiterite.index;
