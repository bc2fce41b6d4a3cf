/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

import org.apache.cassandra.db.DataRange;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.Slices;
import org.apache.cassandra.db.filter.ClusteringIndexFilter;
import org.apache.cassandra.db.filter.ColumnFilter;
import org.apache.cassandra.db.memtable.Memtable;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.db.partitions.UnfilteredPartitionIterator;
import org.apache.cassandra.db.rows.EncodingStats;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.db.rows.Rows;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.index.transactions.UpdateTransaction;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.concurrent.OpOrder;

import io.cassiterite.engine.Store;
import io.cassiterite.engine.TableSchema;

import static org.apache.cassandra.io.sstable.SSTableReadsListener.NOOP_LISTENER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * An engine memtable and one of Cassandra's own get the same writes, and answer the same reads alike;
 * {@link SeparateFlushesTest} tests what only the engine's has.
 */
class MemtableAgainstCassandraTest
{
    private static final OpOrder ORDER = new OpOrder();
    private static Store store;

    @BeforeContainer
    static void initialize()
    {
        store = TestMemtable.openStore("store");
    }

    @AfterContainer
    static void close()
    {
        if (store != null)
            store.close();
    }

    @Property(tries = 40)
    void answersAreEqual(@ForAll long seed)
    {
        Random random = new Random(seed);
        TableMetadata metadata = (random.nextInt(8) == 0 ? RandomTable.counters(random) : RandomTable.any(random))
                                 .unbuild().id(TableId.generate()).build();
        Case test = new Case(random, metadata);
        test.write();
        for (int i = 0; i < 40; i++)
            test.readPartition();
        for (int i = 0; i < 20; i++)
            test.readRange();
        test.checkStatistics();
        store.dropTable(TableSchema.identity(metadata.id));
    }

    private static final class Case
    {
        final Random random;
        final TableMetadata metadata;
        final RandomUpdates updates;
        final RandomReads reads;
        final CassiteriteMemtable ours;
        final Memtable theirs;

        Case(Random random, TableMetadata metadata)
        {
            this.random = random;
            this.metadata = metadata;
            updates = new RandomUpdates(random, RandomRow.mergedInAnyOrder(random, metadata), metadata);
            reads = new RandomReads(random, metadata, updates);
            ours = TestMemtable.open(store, metadata);
            theirs = TestMemtable.stock(metadata);
        }

        void write()
        {
            assertTrue(ours.isClean());
            for (int i = random.nextInt(30); i > 0; i--)
            {
                PartitionUpdate update = updates.next();
                if (update.isEmpty())
                    continue;
                try (OpOrder.Group group = ORDER.start())
                {
                    ours.put(update, UpdateTransaction.NO_OP, group);
                    theirs.put(update, UpdateTransaction.NO_OP, group);
                }
                if (random.nextInt(10) == 0)
                    ours.table().flush();
            }
        }

        void readPartition()
        {
            DecoratedKey key = updates.key();
            ClusteringIndexFilter filter = reads.filter();
            ColumnFilter columns = reads.columnFilter();
            Slices slices = filter.getSlices(metadata);
            boolean reversed = filter.isReversed();
            try (UnfilteredRowIterator mine = ours.rowIterator(key, slices, columns, reversed, NOOP_LISTENER);
                 UnfilteredRowIterator their = theirs.rowIterator(key, slices, columns, reversed, NOOP_LISTENER))
            {
                assertEquals(new PartitionContent(their), new PartitionContent(mine, columns),
                             () -> filter.toString(metadata) + ' ' + columns);
            }
            try (UnfilteredRowIterator mine = ours.rowIterator(key); UnfilteredRowIterator their = theirs.rowIterator(key))
            {
                assertEquals(their == null, mine == null);
                assertEquals(new PartitionContent(their), new PartitionContent(mine));
            }
            UnfilteredRowIterator dropped = ours.rowIterator(key);
            assertEquals(theirs.rowIterator(key) == null, dropped == null);
        }

        void readRange()
        {
            DataRange range = reads.dataRange();
            ColumnFilter columns = reads.columnFilter();
            int drop = random.nextInt(4) == 0 ? 1 : Integer.MAX_VALUE;
            List<PartitionContent> expected;
            try (UnfilteredPartitionIterator their = theirs.partitionIterator(columns, range, NOOP_LISTENER))
            {
                expected = partitions(their, drop, null);
            }
            try (UnfilteredPartitionIterator mine = ours.partitionIterator(columns, range, NOOP_LISTENER))
            {
                assertEquals(expected, partitions(mine, drop, columns), () -> range + " " + columns);
            }
            try (UnfilteredPartitionIterator abandoned = ours.partitionIterator(columns, range, NOOP_LISTENER))
            {
                if (abandoned.hasNext())
                    abandoned.next().hasNext();
            }
        }

        void checkStatistics()
        {
            assertEquals(theirs.isClean(), ours.isClean());
            if (ours.isClean())
                return;
            assertTrue(ours.getMinTimestamp() <= smallestTimestamp());
            assertNotEquals(Memtable.NO_MIN_TIMESTAMP, ours.getMinTimestamp());
            assertTrue(ours.partitionCount() > 0);
            assertTrue(ours.operationCount() > 0);
            assertFalse(ours.getMinLocalDeletionTime() > theirs.getMinLocalDeletionTime());
        }

        private long smallestTimestamp()
        {
            EncodingStats.Collector collector = new EncodingStats.Collector();
            collector.updateTimestamp(Long.MAX_VALUE);
            for (DecoratedKey key : updates.keys)
                try (UnfilteredRowIterator partition = ours.rowIterator(key))
                {
                    if (partition != null)
                        partition.forEachRemaining(one ->
                        {
                            if (one instanceof Row)
                                Rows.collectStats((Row) one, collector);
                        });
                }
            return collector.get().minTimestamp;
        }

        private List<PartitionContent> partitions(UnfilteredPartitionIterator partitions, int drop, ColumnFilter columns)
        {
            List<PartitionContent> read = new ArrayList<>();
            while (partitions.hasNext())
            {
                try (UnfilteredRowIterator partition = partitions.next())
                {
                    if ((partition.partitionKey().hashCode() & 1) == drop)
                    {
                        if (partition.hasNext())
                            partition.next();
                        continue;
                    }
                    PartitionContent content = new PartitionContent(partition, columns);
                    if (!content.isEmpty())
                        read.add(content);
                }
            }
            return read;
        }
    }
}
