/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.recipe;

import java.util.function.ToIntFunction;

import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.schema.TableMetadata;

import io.cassiterite.memtable.CassiteriteMemtable;
import io.cassiterite.memtable.EngineTables;

/** What the engine knows of tables' columns. */
interface EngineColumns
{
    EngineColumns NODE = new EngineColumns()
    {
        @Override
        public TableMetadata schema(TableId table)
        {
            CassiteriteMemtable memtable = EngineTables.find(table);
            return memtable == null ? null : memtable.metadata();
        }

        @Override
        public ToIntFunction<ColumnMetadata> ids(TableId table)
        {
            CassiteriteMemtable memtable = EngineTables.find(table);
            return memtable == null ? null : memtable.columnIds();
        }

        @Override
        public byte[] writeRequest(PartitionUpdate update)
        {
            CassiteriteMemtable memtable = EngineTables.find(update.metadata().id);
            return memtable == null ? null : memtable.requestToMove(update).copyFrom(0);
        }
    };

    /** The schema that the table's memtable has; null if the engine does not keep the table. */
    TableMetadata schema(TableId table);

    /** The ids of columns, 0 for those that the engine lacks; null while it does not have the memtable's schema. */
    ToIntFunction<ColumnMetadata> ids(TableId table);

    /** The write request that the table's memtable makes of an update; null if the engine does not keep the table. */
    byte[] writeRequest(PartitionUpdate update);
}
