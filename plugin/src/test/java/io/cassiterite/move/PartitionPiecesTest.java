/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.move;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.BeforeContainer;

import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.marshal.UTF8Type;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.db.rows.Unfiltered;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.schema.TableMetadata;

import io.cassiterite.memtable.TestMemtable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The pieces of a partition are all of it. */
class PartitionPiecesTest
{
    private static TableMetadata table;

    @BeforeContainer
    static void initialize()
    {
        TestMemtable.initialize();
        table = TableMetadata.builder("ks", "pieces", TableId.generate())
                             .partitioner(Murmur3Partitioner.instance)
                             .addPartitionKeyColumn("p", Int32Type.instance)
                             .addClusteringColumn("c", Int32Type.instance)
                             .addStaticColumn("s", Int32Type.instance)
                             .addRegularColumn("v", UTF8Type.instance)
                             .build();
    }

    private static List<PartitionUpdate> pieces(PartitionUpdate whole)
    {
        List<PartitionUpdate> pieces = new ArrayList<>();
        try (UnfilteredRowIterator rows = whole.unfilteredIterator())
        {
            PartitionPieces next = new PartitionPieces(table, table.regularAndStaticColumns(), rows);
            while (next.hasNext())
                pieces.add(next.next());
        }
        return pieces;
    }

    @Property(tries = 60)
    void theyAreTheWhole(@ForAll long seed)
    {
        Random random = new Random(seed);
        int size = random.nextInt(3 * PartitionPieces.ROWS_MAX) + 1;
        PartitionUpdate.SimpleBuilder update = PartitionUpdate.simpleBuilder(table, 7).timestamp(10);
        for (int c = 0; c < size; c++)
            if (random.nextInt(3) > 0)
                update.row(c).add("v", "x");
        if (random.nextBoolean())
            update.row().add("s", 1);
        // at times longer than a piece
        for (int i = random.nextInt(4); i > 0; i--)
        {
            update.timestamp(5 + random.nextInt(3));
            int start = random.nextInt(size);
            PartitionUpdate.SimpleBuilder.RangeTombstoneBuilder range = update.addRangeTombstone();
            range.start(random.nextInt(4) > 0 ? new Object[]{ start } : new Object[0]);
            range.end(random.nextInt(4) > 0 ? new Object[]{ start + random.nextInt(size - start) + 1 } : new Object[0]);
            if (random.nextBoolean())
                range.exclStart();
        }
        if (random.nextInt(3) == 0)
            update.timestamp(3).delete();
        PartitionUpdate whole = update.build();
        List<PartitionUpdate> pieces = pieces(whole);
        PartitionUpdate merged = PartitionUpdate.merge(pieces);
        assertEquals(whole.partitionLevelDeletion(), merged.partitionLevelDeletion());
        assertEquals(whole.staticRow(), merged.staticRow());
        for (PartitionUpdate piece : pieces)
            assertTrue(piece.rowCount() <= PartitionPieces.ROWS_MAX);
        assertEquals(content(whole), content(merged));
    }

    /** Rows, and where deletions begin and end. */
    private static List<Unfiltered> content(PartitionUpdate update)
    {
        List<Unfiltered> content = new ArrayList<>();
        try (UnfilteredRowIterator rows = update.unfilteredIterator())
        {
            rows.forEachRemaining(content::add);
        }
        return content;
    }

    @Example
    void aPartitionWithoutRowsIsOnePiece()
    {
        DecoratedKey key = Murmur3Partitioner.instance.decorateKey(Int32Type.instance.decompose(1));
        List<PartitionUpdate> pieces = pieces(PartitionUpdate.fullPartitionDelete(table, key, 5, 6));
        assertEquals(1, pieces.size());
        assertEquals(5, pieces.get(0).partitionLevelDeletion().markedForDeleteAt());
        assertFalse(pieces.get(0).iterator().hasNext());
    }
}
