/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.BeforeContainer;

import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.DeletionTime;
import org.apache.cassandra.db.MutableDeletionInfo;
import org.apache.cassandra.db.RangeTombstone;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.schema.TableMetadata;

import io.cassiterite.engine.DirectOutput;
import io.cassiterite.engine.EngineTestAccess;
import io.cassiterite.engine.NativeLibrary;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

/** The engine merges several writes as Cassandra does. */
class MergeAgainstCassandraTest
{
    private final FragmentWriter writer = new FragmentWriter();
    private final DirectOutput out = new DirectOutput();

    @BeforeContainer
    static void initialize()
    {
        TestNode.initialize();
        NativeLibrary.load();
    }

    @Property(tries = 5000)
    void rows(@ForAll long seed)
    {
        merges(new Random(seed), RandomTable.any(new Random(seed)));
    }

    @Property(tries = 2000)
    void counters(@ForAll long seed)
    {
        merges(new Random(seed), RandomTable.counters(new Random(seed)));
    }

    private void merges(Random random, TableMetadata metadata)
    {
        Columns columns = new Columns(metadata, EngineTestAccess.columnIds(metadata, random.nextBoolean() ? random : null));
        RandomRow rows = new RandomRow(random, metadata);
        boolean isStatic = !metadata.staticColumns().isEmpty() && random.nextInt(4) == 0;
        Clustering<?> clustering = isStatic ? Clustering.STATIC_CLUSTERING : rows.clustering();
        List<Row> inputs = new ArrayList<>();
        List<byte[]> fragments = new ArrayList<>();
        for (int i = 2 + random.nextInt(4); i > 0; i--)
        {
            Row row = rows.row(clustering);
            if (row.isEmpty())
                continue;
            inputs.add(row);
            fragments.add(write(row, columns));
        }
        if (fragments.size() < 2)
            return;
        Row expected = merge(inputs);
        int kind = isStatic ? Fragments.KIND_STATIC : Fragments.KIND_ROW;
        byte[] merged = EngineTestAccess.merge(kind, fragments);
        Row read = read(merged, columns, isStatic);
        if (expected == null)
            assertNull(read);
        else
        {
            assertEquals(expected, read, inputs::toString);
            assertArrayEquals(write(expected, columns), merged, "not canonical");
        }
        Collections.shuffle(fragments, random);
        fragments.add(fragments.get(0));
        assertArrayEquals(merged, EngineTestAccess.merge(kind, fragments), "order or repetition matters");
    }

    /** As a read merges what it finds in several places. */
    private static Row merge(List<Row> rows)
    {
        Row.Merger merger = new Row.Merger(rows.size(), true);
        for (int i = 0; i < rows.size(); i++)
            merger.add(i, rows.get(i));
        return merger.merge(DeletionTime.LIVE);
    }

    @Property(tries = 3000)
    void deletions(@ForAll long seed)
    {
        Random random = new Random(seed);
        TableMetadata metadata = RandomTable.any(random);
        RandomRow rows = new RandomRow(random, metadata);
        MutableDeletionInfo expected = MutableDeletionInfo.live();
        List<byte[]> fragments = new ArrayList<>();
        for (int i = 2 + random.nextInt(4); i > 0; i--)
        {
            MutableDeletionInfo info = rows.deletionInfo();
            expected.add(info.mutableCopy());
            out.clear();
            if (new HeaderWriter().write(out, new KeyEncoder(metadata.comparator), info))
                fragments.add(out.copyFrom(0));
        }
        if (fragments.isEmpty())
            return;
        byte[] merged = EngineTestAccess.merge(Fragments.KIND_HEADER, fragments);
        MutableDeletionInfo read = HeaderReader.read(ByteBuffer.wrap(merged).order(ByteOrder.LITTLE_ENDIAN), 0, merged.length,
                                                     metadata.comparator);
        assertEquals(expected.getPartitionDeletion(), read.getPartitionDeletion());
        for (int i = 0; i < 60; i++)
        {
            Clustering<?> clustering = rows.clustering();
            // of two deletions of one timestamp Cassandra's list keeps the older; neither clients nor digests depend on which
            assertEquals(deletion(expected, clustering).markedForDeleteAt(), deletion(read, clustering).markedForDeleteAt());
        }
    }

    private static DeletionTime deletion(MutableDeletionInfo info, Clustering<?> clustering)
    {
        RangeTombstone range = info.rangeCovering(clustering);
        DeletionTime partition = info.getPartitionDeletion();
        return range != null && range.deletionTime().supersedes(partition) ? range.deletionTime() : partition;
    }

    private byte[] write(Row row, Columns columns)
    {
        out.clear();
        return writer.writeRow(out, row, columns) ? out.copyFrom(0) : new byte[0];
    }

    private static Row read(byte[] bytes, Columns columns, boolean isStatic)
    {
        return FragmentReader.local().read(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN), 0, bytes.length, columns, null,
                                           isStatic);
    }
}
