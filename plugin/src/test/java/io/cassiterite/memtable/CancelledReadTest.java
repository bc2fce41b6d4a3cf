/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.lang.reflect.Field;

import io.netty.util.concurrent.FastThreadLocal;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.DataRange;
import org.apache.cassandra.db.PartitionRangeReadCommand;
import org.apache.cassandra.db.ReadCommand;
import org.apache.cassandra.db.Slice;
import org.apache.cassandra.db.Slices;
import org.apache.cassandra.db.filter.ClusteringIndexSliceFilter;
import org.apache.cassandra.db.filter.ColumnFilter;
import org.apache.cassandra.db.filter.DataLimits;
import org.apache.cassandra.db.filter.RowFilter;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.db.partitions.UnfilteredPartitionIterator;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.exceptions.QueryCancelledException;
import org.apache.cassandra.io.sstable.SSTableReadsListener;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.schema.TableMetadata;

import io.cassiterite.engine.Store;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

/** A query that has timed out ends, also if it finds nothing at which Cassandra would check it. */
class CancelledReadTest
{
    private static final int PARTITIONS = 5000;
    private static final TableMetadata METADATA = TableMetadata.builder("ks", "t", TableId.generate())
                                                               .partitioner(Murmur3Partitioner.instance)
                                                               .addPartitionKeyColumn("p", Int32Type.instance)
                                                               .addClusteringColumn("c", Int32Type.instance)
                                                               .addRegularColumn("v", Int32Type.instance)
                                                               .build();
    private static final DataRange NOTHING_THERE =
        new DataRange(Range.makeRowRange(Murmur3Partitioner.instance.getMinimumToken(), Murmur3Partitioner.instance.getMinimumToken()),
                      new ClusteringIndexSliceFilter(Slices.with(METADATA.comparator,
                                                                 Slice.make(Clustering.make(Int32Type.instance.decompose(2)))),
                                                     false));

    private static Store store;
    private static CassiteriteMemtable memtable;

    @BeforeAll
    static void open()
    {
        store = TestMemtable.openStore("cancelled");
        memtable = TestMemtable.open(store, METADATA);
        for (int p = 0; p < PARTITIONS; p++)
        {
            PartitionUpdate.SimpleBuilder update = PartitionUpdate.simpleBuilder(METADATA, p).timestamp(1);
            update.row(1).add("v", p);
            TestMemtable.put(memtable, update.build());
        }
    }

    @AfterAll
    static void close()
    {
        if (store != null)
            store.close();
    }

    /** Opens a scan as a query does that Cassandra runs in this thread. */
    private static UnfilteredPartitionIterator scan(ReadCommand query) throws ReflectiveOperationException
    {
        Field field = ReadCommand.class.getDeclaredField("COMMAND");
        field.setAccessible(true);
        @SuppressWarnings("unchecked")
        FastThreadLocal<ReadCommand> running = (FastThreadLocal<ReadCommand>) field.get(null);
        running.set(query);
        try
        {
            return memtable.partitionIterator(ColumnFilter.all(METADATA), NOTHING_THERE, SSTableReadsListener.NOOP_LISTENER);
        }
        finally
        {
            running.set(null);
        }
    }

    private static ReadCommand query()
    {
        return PartitionRangeReadCommand.create(METADATA, 1, ColumnFilter.all(METADATA), RowFilter.none(), DataLimits.NONE,
                                                NOTHING_THERE);
    }

    @Test
    void aScanThatFindsNothingEndsWhenItsQueryHasTimedOut() throws ReflectiveOperationException
    {
        ReadCommand late = query();
        late.setMonitoringTime(0, false, 1, 1);
        try (UnfilteredPartitionIterator scan = scan(late))
        {
            assertThrows(QueryCancelledException.class, scan::hasNext);
        }
    }

    @Test
    void aScanThatFindsNothingContinuesUntilItsQueryTimesOut() throws ReflectiveOperationException
    {
        try (UnfilteredPartitionIterator scan = scan(query()))
        {
            assertFalse(scan.hasNext());
        }
        try (UnfilteredPartitionIterator scan = scan(null))
        {
            assertFalse(scan.hasNext());
        }
    }
}
