/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.BeforeContainer;

import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.DeletionTime;
import org.apache.cassandra.db.MutableDeletionInfo;
import org.apache.cassandra.db.RangeTombstone;
import org.apache.cassandra.db.context.CounterContext;
import org.apache.cassandra.db.filter.ColumnFilter;
import org.apache.cassandra.db.rows.BTreeRow;
import org.apache.cassandra.db.rows.BufferCell;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.ByteBufferUtil;
import org.apache.cassandra.utils.CounterId;
import org.apache.cassandra.utils.btree.BTree;

import io.cassiterite.engine.DirectOutput;
import io.cassiterite.engine.EngineTestAccess;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

/** What is written as a fragment is read back as it was, and filtered as Cassandra filters. */
class FragmentProperties
{
    private final FragmentWriter writer = new FragmentWriter();
    private final DirectOutput out = new DirectOutput();

    @BeforeContainer
    static void initialize()
    {
        TestNode.initialize();
    }

    @Property(tries = 3000)
    void rowsComeBack(@ForAll long seed)
    {
        Random random = new Random(seed);
        TableMetadata metadata = random.nextInt(6) == 0 ? RandomTable.counters(random) : RandomTable.any(random);
        Columns columns = columns(metadata, random);
        Row row = row(random, metadata);
        Row read = roundTrip(row, columns, null);
        if (row.isEmpty())
        {
            assertNull(read);
            return;
        }
        assertEquals(row, read, () -> read.toString(metadata, true));
        for (long now = RandomRow.NOW - 1; now < RandomRow.NOW + 5; now++)
            assertEquals(BTreeRow.create(row.clustering(), row.primaryKeyLivenessInfo(), row.deletion(), tree(row)).hasDeletion(now),
                         read.hasDeletion(now));
    }

    @Property(tries = 2000)
    void equalRowsAreEqualBytes(@ForAll long seed)
    {
        Random random = new Random(seed);
        TableMetadata metadata = RandomTable.any(random);
        Columns columns = columns(metadata, random);
        Row row = row(random, metadata);
        if (row.isEmpty())
            return;
        byte[] written = write(row, columns);
        assertArrayEquals(written, write(read(written, columns, null, row.isStatic()), columns));
    }

    /** Under a liveness that expires, as Cassandra does where it was flushed apart from the cells. */
    @Property(tries = 3000)
    void filtersAsCassandraDoes(@ForAll long seed)
    {
        Random random = new Random(seed);
        TableMetadata metadata = RandomTable.any(random);
        if (random.nextBoolean())
            metadata = dropAndAddAgain(random, metadata);
        Columns columns = columns(metadata, random);
        ColumnFilter filter = RandomReads.columnFilter(random, metadata);
        Row row = row(random, metadata);
        if (row.isEmpty())
            return;
        Row read = roundTrip(row, columns, new ColumnSelection(filter, columns));
        if (row.primaryKeyLivenessInfo().isExpiring())
            assertEquals(RowParts.filtered(row, filter, metadata), read == null ? null : PartitionContent.normal(read, DeletionTime.LIVE));
        else
            assertEquals(row.filter(filter, metadata), read);
    }

    @Property(tries = 2000)
    void headersDeleteWhatTheyDid(@ForAll long seed)
    {
        Random random = new Random(seed);
        TableMetadata metadata = RandomTable.any(random);
        RandomRow rows = new RandomRow(random, metadata);
        MutableDeletionInfo info = rows.deletionInfo();
        out.clear();
        if (!new HeaderWriter().write(out, new KeyEncoder(metadata.comparator), info))
        {
            assertEquals(DeletionTime.LIVE, info.getPartitionDeletion());
            return;
        }
        ByteBuffer view = out.view();
        MutableDeletionInfo read = HeaderReader.read(view, 0, view.limit(), metadata.comparator);
        assertEquals(info.getPartitionDeletion(), read.getPartitionDeletion());
        for (int i = 0; i < 50; i++)
        {
            Clustering<?> clustering = rows.clustering();
            assertEquals(deletion(info, clustering), deletion(read, clustering));
        }
    }

    @Property(tries = 20)
    void legacyCountersAreRefused(@ForAll long count)
    {
        TableMetadata metadata = RandomTable.counters(new Random(count));
        ColumnMetadata column = metadata.getColumn(ByteBufferUtil.bytes("a"));
        ByteBuffer context = CounterContext.instance().createRemote(CounterId.fromInt(1), 1, count);
        Row row = BTreeRow.singleCellRow(new RandomRow(new Random(count), metadata).clustering(),
                                         BufferCell.live(column, 1, context));
        assertThrows(UnsupportedOperationException.class, () -> write(row, columns(metadata, null)));
    }

    private static DeletionTime deletion(MutableDeletionInfo info, Clustering<?> clustering)
    {
        RangeTombstone range = info.rangeCovering(clustering);
        DeletionTime partition = info.getPartitionDeletion();
        return range != null && range.deletionTime().supersedes(partition) ? range.deletionTime() : partition;
    }

    private static TableMetadata dropAndAddAgain(Random random, TableMetadata metadata)
    {
        TableMetadata.Builder builder = metadata.unbuild();
        for (ColumnMetadata column : metadata.columns())
            if (!column.isPrimaryKeyColumn() && random.nextInt(3) == 0)
                builder.recordColumnDrop(column, 100 + random.nextInt(6));
        return builder.build();
    }

    private static Columns columns(TableMetadata metadata, Random random)
    {
        return new Columns(metadata, EngineTestAccess.columnIds(metadata, random != null && random.nextBoolean() ? random : null));
    }

    private static Row row(Random random, TableMetadata metadata)
    {
        RandomRow rows = new RandomRow(random, metadata);
        boolean isStatic = random.nextInt(4) == 0 && !metadata.staticColumns().isEmpty();
        return rows.row(isStatic ? Clustering.STATIC_CLUSTERING : rows.clustering());
    }

    private Row roundTrip(Row row, Columns columns, ColumnSelection selection)
    {
        byte[] bytes = write(row, columns);
        return bytes == null ? null : read(bytes, columns, selection, row.isStatic());
    }

    private byte[] write(Row row, Columns columns)
    {
        out.clear();
        return writer.writeRow(out, row, columns) ? out.copyFrom(0) : null;
    }

    private static Row read(byte[] bytes, Columns columns, ColumnSelection selection, boolean isStatic)
    {
        ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        return FragmentReader.local().read(in, 0, bytes.length, columns, selection, isStatic);
    }

    private static Object[] tree(Row row)
    {
        try (BTree.FastBuilder<Object> builder = BTree.fastBuilder())
        {
            row.forEach(builder::add);
            return builder.build();
        }
    }
}
