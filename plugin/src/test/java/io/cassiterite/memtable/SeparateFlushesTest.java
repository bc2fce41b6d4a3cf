/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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
import org.apache.cassandra.db.partitions.ImmutableBTreePartition;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.db.partitions.UnfilteredPartitionIterator;
import org.apache.cassandra.db.partitions.UnfilteredPartitionIterators;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.db.rows.UnfilteredRowIterators;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.schema.TableMetadata;

import io.cassiterite.engine.Store;
import io.cassiterite.engine.TableSchema;

import static org.apache.cassandra.io.sstable.SSTableReadsListener.NOOP_LISTENER;
import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * An engine memtable, which merges all writes of a row, gives a client at any time the answer that Cassandra gives where
 * livenesses and deletions were flushed apart from cells. Merged, Cassandra gives another one: {@link RowParts}.
 */
class SeparateFlushesTest
{
    private static Store store;

    @BeforeContainer
    static void initialize()
    {
        store = TestMemtable.openStore("flushes");
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
        TableMetadata metadata = RandomTable.any(random).unbuild().id(TableId.generate()).build();
        Case test = new Case(random, metadata);
        test.write();
        for (int i = 0; i < 40; i++)
            test.readPartition();
        for (int i = 0; i < 20; i++)
            test.readRange();
        store.dropTable(TableSchema.identity(metadata.id));
    }

    private static final class Case
    {
        final Random random;
        final TableMetadata metadata;
        final RandomUpdates updates;
        final RandomReads reads;
        final CassiteriteMemtable ours;
        final Memtable heads;
        final Memtable bodies;

        Case(Random random, TableMetadata metadata)
        {
            this.random = random;
            this.metadata = metadata;
            updates = new RandomUpdates(random, RandomRow.mergedInAnyOrder(random, metadata), metadata);
            reads = new RandomReads(random, metadata, updates);
            ours = TestMemtable.open(store, metadata);
            heads = TestMemtable.stock(metadata);
            bodies = TestMemtable.stock(metadata);
        }

        void write()
        {
            for (int i = random.nextInt(30); i > 0; i--)
            {
                PartitionUpdate update = updates.next();
                put(ours, update);
                PartitionUpdate.Builder head = builder(update);
                PartitionUpdate.Builder body = builder(update);
                head.addPartitionDeletion(update.partitionLevelDeletion());
                update.deletionInfo().rangeIterator(false).forEachRemaining(head::add);
                if (!update.staticRow().isEmpty())
                    body.add(update.staticRow());
                for (Row row : update)
                {
                    addIfAny(head, RowParts.head(row));
                    addIfAny(body, RowParts.body(row));
                }
                put(heads, head.build());
                put(bodies, body.build());
            }
        }

        private PartitionUpdate.Builder builder(PartitionUpdate update)
        {
            return new PartitionUpdate.Builder(metadata, update.partitionKey(), metadata.regularAndStaticColumns(), 4);
        }

        private static void addIfAny(PartitionUpdate.Builder builder, Row row)
        {
            if (row != null)
                builder.add(row);
        }

        private static void put(Memtable memtable, PartitionUpdate update)
        {
            if (!update.isEmpty())
                TestMemtable.put(memtable, update);
        }

        void readPartition()
        {
            DecoratedKey key = updates.key();
            ClusteringIndexFilter filter = reads.filter();
            ColumnFilter columns = reads.columnFilter();
            Slices slices = filter.getSlices(metadata);
            boolean reversed = filter.isReversed();
            long nowInSec = now();
            List<String> expected = new ArrayList<>();
            List<UnfilteredRowIterator> sources = Stream.of(heads, bodies)
                                                        .map(m -> m.rowIterator(key, slices, columns, reversed, NOOP_LISTENER))
                                                        .filter(i -> i != null).collect(Collectors.toList());
            if (!sources.isEmpty())
                expected = answer(UnfilteredRowIterators.merge(sources), columns, nowInSec);
            assertEquals(expected, answer(mine(key, slices, columns, reversed), columns, nowInSec), () -> explain(columns, nowInSec));
            assertEquals(expected, answer(named(mine(key, slices, columns, reversed), columns), columns, nowInSec),
                         () -> "of named rows " + explain(columns, nowInSec));
        }

        private UnfilteredRowIterator mine(DecoratedKey key, Slices slices, ColumnFilter columns, boolean reversed)
        {
            return ours.rowIterator(key, slices, columns, reversed, NOOP_LISTENER);
        }

        /** Like a query that names rows: it collects them, and filters them once more. */
        private static UnfilteredRowIterator named(UnfilteredRowIterator found, ColumnFilter columns)
        {
            if (found == null)
                return null;
            try (found)
            {
                boolean reversed = found.isReverseOrder();
                return ImmutableBTreePartition.create(found, 4).unfilteredIterator(columns, Slices.ALL, reversed);
            }
        }

        void readRange()
        {
            DataRange range = reads.dataRange();
            ColumnFilter columns = reads.columnFilter();
            long nowInSec = now();
            List<UnfilteredPartitionIterator> sources = List.of(heads.partitionIterator(columns, range, NOOP_LISTENER),
                                                                bodies.partitionIterator(columns, range, NOOP_LISTENER));
            List<String> expected = answers(UnfilteredPartitionIterators.merge(sources, null), columns, nowInSec);
            List<String> found = answers(ours.partitionIterator(columns, range, NOOP_LISTENER), columns, nowInSec);
            assertEquals(expected, found, () -> explain(columns, nowInSec));
        }

        private long now()
        {
            return RandomRow.NOW - 1 + random.nextInt(6);
        }

        private String explain(ColumnFilter columns, long nowInSec)
        {
            return metadata.toCqlString(false, false, false) + ' ' + columns + " at " + nowInSec;
        }

        private List<String> answers(UnfilteredPartitionIterator partitions, ColumnFilter columns, long nowInSec)
        {
            List<String> lines = new ArrayList<>();
            try (partitions)
            {
                while (partitions.hasNext())
                    lines.addAll(answer(partitions.next(), columns, nowInSec));
            }
            return lines;
        }

        private List<String> answer(UnfilteredRowIterator partition, ColumnFilter columns, long nowInSec)
        {
            return partition == null ? List.of() : ClientView.of(partition, columns, nowInSec);
        }
    }
}
