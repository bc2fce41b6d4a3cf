/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Random;

import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

import org.apache.cassandra.db.DataRange;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.filter.ColumnFilter;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.memtable.Memtable;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.db.partitions.UnfilteredPartitionIterator;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.schema.TableMetadata;

import io.cassiterite.engine.ChunkFigures;
import io.cassiterite.engine.ChunkWriter;
import io.cassiterite.engine.DirectOutput;
import io.cassiterite.engine.EngineException;
import io.cassiterite.engine.Store;
import io.cassiterite.engine.TableSchema;

import static org.apache.cassandra.io.sstable.SSTableReadsListener.NOOP_LISTENER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Rows that come as chunks, beside others that are put, are read as if all had been put into a memtable of Cassandra's. */
class ChunkTest
{
    private static Store store;

    @BeforeContainer
    static void initialize()
    {
        store = TestMemtable.openStore("chunks");
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
        TableMetadata metadata = (random.nextInt(6) == 0 ? RandomTable.counters(random) : RandomTable.any(random))
                                 .unbuild().id(TableId.generate()).build();
        Case test = new Case(random, metadata);
        test.put(random.nextInt(10));
        List<PartitionUpdate> pieces = test.pieces();
        int split = pieces.isEmpty() ? 0 : random.nextInt(pieces.size());
        for (List<PartitionUpdate> chunk : List.of(pieces.subList(0, split), pieces.subList(split, pieces.size())))
        {
            test.receive(chunk);
            if (random.nextInt(4) == 0)
                test.receive(chunk); // as after a kill before it was recorded
            test.put(random.nextInt(10));
        }
        test.compare();
        while (test.ours.table().mergeIn() > 0)
            test.put(random.nextInt(2));
        test.compare();
        store.dropTable(TableSchema.identity(metadata.id));
    }

    private static final class Case
    {
        final Random random;
        final TableMetadata metadata;
        final RandomUpdates updates;
        final CassiteriteMemtable ours;
        final Memtable theirs;
        /** What sstables have. */
        final Memtable outside;

        Case(Random random, TableMetadata metadata)
        {
            this.random = random;
            this.metadata = metadata;
            updates = new RandomUpdates(random, RandomRow.mergedInAnyOrder(random, metadata), metadata);
            ours = TestMemtable.open(store, metadata);
            theirs = TestMemtable.stock(metadata);
            outside = TestMemtable.stock(metadata);
            for (int i = random.nextInt(30); i > 0; i--)
                put(updates.next(), outside, theirs);
        }

        void put(int count)
        {
            for (int i = 0; i < count; i++)
                put(updates.next(), ours, theirs);
        }

        private static void put(PartitionUpdate update, Memtable... memtables)
        {
            if (update.isEmpty())
                return;
            for (Memtable memtable : memtables)
                TestMemtable.put(memtable, update);
        }

        /** In the order of the ring, each partition in one piece or in several, of which the last has the deletions. */
        List<PartitionUpdate> pieces()
        {
            List<PartitionUpdate> pieces = new ArrayList<>();
            DataRange all = DataRange.allData(Murmur3Partitioner.instance);
            try (UnfilteredPartitionIterator partitions = outside.partitionIterator(ColumnFilter.all(metadata), all, NOOP_LISTENER))
            {
                while (partitions.hasNext())
                {
                    try (UnfilteredRowIterator partition = partitions.next())
                    {
                        PartitionUpdate whole = PartitionUpdate.fromIterator(partition, ColumnFilter.all(metadata));
                        if (random.nextBoolean())
                            pieces.add(whole);
                        else
                            addInPieces(pieces, whole);
                    }
                }
            }
            return pieces;
        }

        private void addInPieces(List<PartitionUpdate> pieces, PartitionUpdate whole)
        {
            if (!whole.staticRow().isEmpty())
                pieces.add(piece(whole, whole.staticRow()).build());
            for (Iterator<Row> rows = whole.iterator(); rows.hasNext();)
                pieces.add(piece(whole, rows.next()).build());
            PartitionUpdate.Builder deletions = new PartitionUpdate.Builder(metadata, whole.partitionKey(),
                                                                            metadata.regularAndStaticColumns(), 1);
            deletions.addPartitionDeletion(whole.partitionLevelDeletion());
            whole.deletionInfo().rangeIterator(false).forEachRemaining(deletions::add);
            pieces.add(deletions.build());
        }

        private PartitionUpdate.Builder piece(PartitionUpdate whole, Row row)
        {
            PartitionUpdate.Builder piece = new PartitionUpdate.Builder(metadata, whole.partitionKey(),
                                                                        metadata.regularAndStaticColumns(), 1);
            piece.add(row);
            return piece;
        }

        void receive(List<PartitionUpdate> pieces)
        {
            FragmentWriter fragments = new FragmentWriter();
            DirectOutput request = new DirectOutput();
            long bytes = 0;
            try (ChunkWriter chunk = ChunkWriter.begin(ours.table()))
            {
                for (PartitionUpdate piece : pieces)
                    if (fragments.write(request.clear(), piece, ours.columns()))
                        bytes = chunk.append(request);
                ChunkFigures figures = chunk.finish();
                assertTrue(figures.bytes() >= bytes, figures::toString);
                assertEquals(figures.rows() + figures.headers() > 0, figures.files() > 0, figures::toString);
                chunk.receive(true);
            }
        }

        void compare()
        {
            for (DecoratedKey key : updates.keys)
            {
                try (UnfilteredRowIterator mine = ours.rowIterator(key); UnfilteredRowIterator their = theirs.rowIterator(key))
                {
                    assertEquals(new PartitionContent(their), new PartitionContent(mine));
                }
            }
        }
    }

    @Example
    void whatIsOutOfOrderIsRefusedAndNothingIsLost()
    {
        TableMetadata metadata = TableMetadata.builder("ks", "ordered", TableId.generate())
                                              .partitioner(Murmur3Partitioner.instance)
                                              .addPartitionKeyColumn("p", Int32Type.instance)
                                              .addClusteringColumn("c", Int32Type.instance)
                                              .addRegularColumn("v", Int32Type.instance)
                                              .build();
        CassiteriteMemtable memtable = TestMemtable.open(store, metadata);
        FragmentWriter fragments = new FragmentWriter();
        DirectOutput request = new DirectOutput();
        ChunkWriter chunk = ChunkWriter.begin(memtable.table());
        for (int c : new int[]{ 1, 2, 2, 1, 3 })
        {
            PartitionUpdate.SimpleBuilder update = PartitionUpdate.simpleBuilder(metadata, 7).timestamp(1);
            update.row(c).add("v", c);
            assertTrue(fragments.write(request.clear(), update.build(), memtable.columns()));
            try
            {
                chunk.append(request);
            }
            catch (EngineException e)
            {
                assertEquals(EngineException.Kind.INVALID, e.kind());
            }
        }
        assertEquals(EngineException.Kind.INVALID, assertThrows(EngineException.class, () -> chunk.receive(true)).kind());
        assertEquals(3, chunk.finish().rows());
        assertEquals(0, chunk.receive(true));
        chunk.close();
        chunk.close();
        assertThrows(IllegalStateException.class, () -> chunk.append(request));
        assertEquals(3, rows(memtable));
        try (ChunkWriter another = ChunkWriter.begin(memtable.table()))
        {
            another.append(request);
        }
        assertEquals(3, rows(memtable));
    }

    private static int rows(CassiteriteMemtable memtable)
    {
        DecoratedKey key = Murmur3Partitioner.instance.decorateKey(Int32Type.instance.decompose(7));
        int count = 0;
        try (UnfilteredRowIterator rows = memtable.rowIterator(key))
        {
            for (; rows.hasNext(); rows.next())
                count++;
        }
        return count;
    }
}
