/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.ColumnFamilyStore.FlushReason;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.marshal.UTF8Type;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.schema.TableMetadata;

import io.cassiterite.OwnJvm;
import io.cassiterite.memtable.TestTables;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

@OwnJvm
class TrackerWatchTest
{
    private final TableMetadata table = TableMetadata.builder("shop", "orders", TableId.generate())
                                                     .addPartitionKeyColumn("k", UTF8Type.instance)
                                                     .addRegularColumn("v", Int32Type.instance)
                                                     .build();

    @BeforeAll
    static void initialize()
    {
        TestTables.initialize();
    }

    /** F4: nodetool import returns when the sstables are in the view; the table must be closed by then. */
    @Test
    void tellsOfNewSstablesWhenTheyAreInTheView()
    {
        ColumnFamilyStore cfs = TestTables.open(table);
        List<Integer> sstables = new ArrayList<>();
        List<TableId> told = new ArrayList<>();
        TrackerWatch watch = new TrackerWatch(id -> {
            told.add(id);
            sstables.add(cfs.getTracker().getView().liveSSTables().size());
        });
        watch.watch(cfs.getTracker());
        watch.watch(cfs.getTracker());

        PartitionUpdate.SimpleBuilder update = PartitionUpdate.simpleBuilder(table, "k").timestamp(1);
        update.row().add("v", 1);
        TestTables.write(cfs, update.build());
        cfs.forceBlockingFlush(FlushReason.UNIT_TESTS);

        assertEquals(List.of(table.id, table.id), told, "the switch, the sstable; each once");
        assertEquals(List.of(0, 1), sstables);
        cfs.clearUnsafe();
        assertTrue(told.size() >= 2);
    }
}
