/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.ClusteringBound;
import org.apache.cassandra.db.DataRange;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.PartitionPosition;
import org.apache.cassandra.db.Slice;
import org.apache.cassandra.db.Slices;
import org.apache.cassandra.db.commitlog.CommitLogPosition;
import org.apache.cassandra.db.filter.ClusteringIndexFilter;
import org.apache.cassandra.db.filter.ClusteringIndexNamesFilter;
import org.apache.cassandra.db.filter.ClusteringIndexSliceFilter;
import org.apache.cassandra.db.filter.ColumnFilter;
import org.apache.cassandra.db.memtable.Memtable;
import org.apache.cassandra.db.memtable.SkipListMemtableFactory;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.db.partitions.UnfilteredPartitionIterator;
import org.apache.cassandra.db.rows.EncodingStats;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.db.rows.Rows;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.dht.AbstractBounds;
import org.apache.cassandra.dht.Bounds;
import org.apache.cassandra.dht.ExcludingBounds;
import org.apache.cassandra.dht.IncludingExcludingBounds;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.index.transactions.UpdateTransaction;
import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.schema.TableMetadataRef;
import org.apache.cassandra.utils.btree.BTreeSet;
import org.apache.cassandra.utils.concurrent.OpOrder;

import io.cassiterite.engine.Store;
import io.cassiterite.engine.TableSchema;

import static org.apache.cassandra.io.sstable.SSTableReadsListener.NOOP_LISTENER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** An engine memtable and one of Cassandra's own get the same writes, and answer the same reads with the same. */
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
        final CassiteriteMemtable ours;
        final Memtable theirs;

        Case(Random random, TableMetadata metadata)
        {
            this.random = random;
            this.metadata = metadata;
            updates = new RandomUpdates(random, RandomRow.mergedInAnyOrder(random, metadata), metadata);
            ours = TestMemtable.open(store, metadata);
            theirs = SkipListMemtableFactory.INSTANCE.create(new AtomicReference<>(CommitLogPosition.NONE),
                                                             TableMetadataRef.forOfflineTools(metadata), null);
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
            ClusteringIndexFilter filter = filter();
            ColumnFilter columns = columnFilter();
            Slices slices = filter.getSlices(metadata);
            boolean reversed = filter.isReversed();
            try (UnfilteredRowIterator mine = ours.rowIterator(key, slices, columns, reversed, NOOP_LISTENER);
                 UnfilteredRowIterator their = theirs.rowIterator(key, slices, columns, reversed, NOOP_LISTENER))
            {
                assertEquals(new PartitionContent(their), new PartitionContent(mine), () -> filter.toString(metadata) + ' ' + columns);
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
            DataRange range = dataRange();
            ColumnFilter columns = columnFilter();
            int drop = random.nextInt(4) == 0 ? 1 : Integer.MAX_VALUE;
            List<PartitionContent> expected;
            try (UnfilteredPartitionIterator their = theirs.partitionIterator(columns, range, NOOP_LISTENER))
            {
                expected = partitions(their, drop);
            }
            try (UnfilteredPartitionIterator mine = ours.partitionIterator(columns, range, NOOP_LISTENER))
            {
                assertEquals(expected, partitions(mine, drop), () -> range + " " + columns);
            }
            try (UnfilteredPartitionIterator abandoned = ours.partitionIterator(columns, range, NOOP_LISTENER))
            {
                if (abandoned.hasNext())
                    abandoned.next().hasNext();
            }
        }

        private DataRange dataRange()
        {
            DataRange range = new DataRange(bounds(), filter());
            if (random.nextInt(3) > 0 || !(range.startKey() instanceof DecoratedKey) || range.keyRange() instanceof Range)
                return range;
            return range.forPaging(range.keyRange(), metadata.comparator, updates.clustering(), random.nextBoolean());
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

        ClusteringIndexFilter filter()
        {
            boolean reversed = random.nextInt(3) == 0;
            switch (random.nextInt(4))
            {
                case 0:
                    return new ClusteringIndexSliceFilter(Slices.ALL, reversed);
                case 1:
                    TreeSet<Clustering<?>> names = new TreeSet<>(metadata.comparator);
                    for (int i = 1 + random.nextInt(4); i > 0; i--)
                        names.add(updates.clustering());
                    BTreeSet.Builder<Clustering<?>> selected = BTreeSet.builder(metadata.comparator);
                    return new ClusteringIndexNamesFilter(selected.addAll(names).build(), reversed);
                default:
                    Slices.Builder slices = new Slices.Builder(metadata.comparator);
                    for (int i = 1 + random.nextInt(3); i > 0; i--)
                    {
                        ClusteringBound<?> start = updates.rows.bound(true);
                        ClusteringBound<?> end = updates.rows.bound(false);
                        if (!Slice.isEmpty(metadata.comparator, start, end))
                            slices.add(start, end);
                    }
                    return new ClusteringIndexSliceFilter(slices.build(), reversed);
            }
        }

        ColumnFilter columnFilter()
        {
            if (random.nextInt(3) == 0)
                return ColumnFilter.all(metadata);
            ColumnFilter.Builder builder = random.nextBoolean() ? ColumnFilter.selectionBuilder()
                                                                : ColumnFilter.allRegularColumnsBuilder(metadata, random.nextBoolean());
            for (ColumnMetadata column : metadata.columns())
                if (!column.isPrimaryKeyColumn() && random.nextBoolean())
                    builder.add(column);
            return builder.build();
        }

        AbstractBounds<PartitionPosition> bounds()
        {
            PartitionPosition minimum = Murmur3Partitioner.instance.getMinimumToken().minKeyBound();
            PartitionPosition left = random.nextInt(3) == 0 ? minimum : position();
            PartitionPosition right = random.nextInt(3) == 0 ? minimum : position();
            if (!right.isMinimum() && !left.isMinimum() && left.compareTo(right) >= 0)
                right = minimum;
            switch (random.nextInt(4))
            {
                case 0: return new Bounds<>(left, right);
                case 1: return new Range<>(left, right);
                case 2: return left.equals(right) ? new Bounds<>(left, right) : new ExcludingBounds<>(left, right);
                default: return left.equals(right) ? new Bounds<>(left, right) : new IncludingExcludingBounds<>(left, right);
            }
        }

        private PartitionPosition position()
        {
            DecoratedKey key = updates.key();
            switch (random.nextInt(3))
            {
                case 0: return key.getToken().minKeyBound();
                case 1: return key.getToken().maxKeyBound();
                default: return key;
            }
        }

        private List<PartitionContent> partitions(UnfilteredPartitionIterator partitions, int drop)
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
                    PartitionContent content = new PartitionContent(partition);
                    if (!content.isEmpty())
                        read.add(content);
                }
            }
            return read;
        }
    }
}
