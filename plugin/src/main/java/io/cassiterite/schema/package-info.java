/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/**
 * What the schema may say about engine tables. Classes without a link are Cassandra's.
 * <ul>
 * <li>{@link EngineQueryHandler} is made by the static initializer of ClientState. QueryMessage, PrepareMessage,
 *     ExecuteMessage and BatchMessage call it for every request of a client, on Native-Transport-Requests, without a
 *     lock. Statements of Cassandra itself do not pass here. For all but schema statements it must stay cheap.
 * <li>{@link GuardedStatement} has a monitor of its own, taken before those of DefaultSchemaUpdateHandler and Schema. A
 *     thread that holds one of these must not execute a schema statement through the handler.
 * <li>{@link SchemaSafetyNet} is called by SchemaChangeNotifier in Schema.mergeAndUpdateVersion, after the table was
 *     opened, changed or dropped. Threads: Native-Transport-Requests (DDL), MigrationStage (DDL of peers), main
 *     (Schema.loadFromDisk, before any table is open). Locks: the monitors of DefaultSchemaUpdateHandler and Schema. It
 *     can refuse nothing any more. It must not change the schema, nor wait for another thread that needs these
 *     monitors, nor throw: other listeners would not be called.
 * <li>{@link IndexBlocker} and {@link DefaultMemtable} change fields of SecondaryIndexManager and CreateTableStatement
 *     by reflection, on the threads of their callers.
 * </ul>
 */
package io.cassiterite.schema;
