/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.reflect;

import org.junit.jupiter.api.Test;

import org.apache.cassandra.db.compaction.CompactionInfo;
import org.apache.cassandra.db.compaction.OperationType;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.TimeUUID;

import io.cassiterite.OwnJvm;
import io.cassiterite.memtable.TestTables;

import static org.junit.jupiter.api.Assertions.assertEquals;

@OwnJvm
class CompactionProgressTest
{
    @Test
    void cassandraShowsIt()
    {
        TestTables.initialize();
        TableMetadata table = TableMetadata.builder("ks", "t").addPartitionKeyColumn("k", Int32Type.instance).build();
        TimeUUID id = TimeUUID.Generator.nextTimeUUID();
        CompactionInfo shown = CompactionProgress.of(table, OperationType.INDEX_BUILD, id, 3, 10, CompactionInfo.Unit.RANGES);
        assertEquals(table, shown.getTableMetadata());
        assertEquals(OperationType.INDEX_BUILD, shown.getTaskType());
        assertEquals(id, shown.getTaskId());
        assertEquals(3, shown.getCompleted());
        assertEquals(10, shown.getTotal());
        assertEquals(CompactionInfo.Unit.RANGES, shown.getUnit());
    }
}
