/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.nio.ByteBuffer;
import java.util.List;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.apache.cassandra.db.BufferClusteringBound;
import org.apache.cassandra.db.ClusteringBound;
import org.apache.cassandra.db.ClusteringPrefix.Kind;
import org.apache.cassandra.db.DeletionTime;
import org.apache.cassandra.db.RangeTombstone;
import org.apache.cassandra.db.Slice;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.exceptions.InvalidRequestException;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.schema.TableMetadata;

import io.cassiterite.engine.Store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A coordinator without the plug-in accepts the deletion of a range with a null bound; the replica refuses it. */
class NullBoundTest
{
    private static final TableMetadata METADATA = TableMetadata.builder("ks", "bounds", TableId.generate())
                                                               .partitioner(Murmur3Partitioner.instance)
                                                               .addPartitionKeyColumn("p", Int32Type.instance)
                                                               .addClusteringColumn("a", Int32Type.instance)
                                                               .addClusteringColumn("b", Int32Type.instance)
                                                               .addRegularColumn("v", Int32Type.instance)
                                                               .build();

    private static Store store;
    private static CassiteriteMemtable memtable;

    @BeforeAll
    static void open()
    {
        store = TestMemtable.openStore("null-bounds");
        memtable = TestMemtable.open(store, METADATA);
        PartitionUpdate.SimpleBuilder row = PartitionUpdate.simpleBuilder(METADATA, 1).timestamp(1);
        row.row(1, 1).add("v", 1);
        TestMemtable.put(memtable, row.build());
    }

    @AfterAll
    static void close()
    {
        if (store != null)
            store.close();
    }

    private static ClusteringBound<?> bound(Kind kind, Integer... values)
    {
        ByteBuffer[] raw = new ByteBuffer[values.length];
        for (int i = 0; i < values.length; i++)
            raw[i] = values[i] == null ? null : Int32Type.instance.decompose(values[i]);
        return BufferClusteringBound.create(kind, raw);
    }

    /** An update with a row, too, of which nothing must be stored. */
    private static PartitionUpdate delete(ClusteringBound<?> start, ClusteringBound<?> end)
    {
        PartitionUpdate.SimpleBuilder row = PartitionUpdate.simpleBuilder(METADATA, 1).timestamp(2);
        row.row(7, 7).add("v", 7);
        PartitionUpdate written = row.build();
        PartitionUpdate.Builder update = new PartitionUpdate.Builder(METADATA, written.partitionKey(),
                                                                     METADATA.regularAndStaticColumns(), 1);
        written.forEach(update::add);
        update.add(new RangeTombstone(Slice.make(start, end), DeletionTime.build(2, 2)));
        return update.build();
    }

    private static int rows()
    {
        int rows = 0;
        PartitionUpdate any = delete(ClusteringBound.BOTTOM, ClusteringBound.TOP);
        try (UnfilteredRowIterator partition = memtable.rowIterator(any.partitionKey()))
        {
            while (partition.hasNext())
                if (partition.next().isRow())
                    rows++;
        }
        return rows;
    }

    @Test
    void aRangeWithANullBoundIsRefusedAndNothingStored()
    {
        for (PartitionUpdate update : List.of(delete(bound(Kind.INCL_START_BOUND, (Integer) null), ClusteringBound.TOP),
                                              delete(ClusteringBound.BOTTOM, bound(Kind.EXCL_END_BOUND, (Integer) null)),
                                              delete(bound(Kind.INCL_START_BOUND, 1), bound(Kind.INCL_END_BOUND, 1, null))))
        {
            InvalidRequestException refusal = assertThrows(InvalidRequestException.class, () -> TestMemtable.put(memtable, update));
            assertTrue(refusal.getMessage().contains("null") && refusal.getMessage().contains(METADATA.toString()), refusal.getMessage());
            assertEquals(1, rows());
        }
    }

    @Test
    void aRangeThatIsOpenOnOneSideIsNone()
    {
        PartitionUpdate update = delete(bound(Kind.EXCL_START_BOUND, 100), ClusteringBound.TOP);
        CassiteriteMemtable other = TestMemtable.open(store, METADATA.unbuild().id(TableId.generate()).build());
        TestMemtable.put(other, update);
        assertFalse(other.isClean());
    }
}
