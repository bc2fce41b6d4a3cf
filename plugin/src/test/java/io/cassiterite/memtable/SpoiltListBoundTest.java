/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.apache.cassandra.db.BufferClusteringBound;
import org.apache.cassandra.db.ClusteringBound;
import org.apache.cassandra.db.ClusteringPrefix.Kind;
import org.apache.cassandra.db.DeletionTime;
import org.apache.cassandra.db.MutableDeletionInfo;
import org.apache.cassandra.db.RangeTombstone;
import org.apache.cassandra.db.Slice;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.marshal.ListType;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.schema.TableMetadata;

import io.cassiterite.engine.DirectOutput;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A list in a bound says how long its elements are: a length that is spoilt is refused, and takes no memory. */
class SpoiltListBoundTest
{
    private static final ListType<Integer> LIST = ListType.getInstance(Int32Type.instance, false);
    private static final TableMetadata METADATA = TableMetadata.builder("ks", "lists")
                                                               .partitioner(Murmur3Partitioner.instance)
                                                               .addPartitionKeyColumn("p", Int32Type.instance)
                                                               .addClusteringColumn("c", LIST)
                                                               .build();
    private static final int ELEMENT = 0x5eed;
    private static final int ELEMENT_BYTES = Integer.BYTES;

    @BeforeAll
    static void initialize()
    {
        TestNode.initialize();
    }

    @Test
    void itIsRefused()
    {
        MutableDeletionInfo deleted = MutableDeletionInfo.live();
        deleted.add(range(1, 2), METADATA.comparator);
        deleted.add(range(ELEMENT, ELEMENT + 1), METADATA.comparator);
        DirectOutput out = new DirectOutput();
        assertTrue(new HeaderWriter().write(out, new KeyEncoder(METADATA.comparator), deleted));
        ByteBuffer header = ByteBuffer.wrap(out.copyFrom(0)).order(ByteOrder.LITTLE_ENDIAN);
        int at = lengthOf(header);
        HeaderReader.read(header, 0, header.limit(), METADATA.comparator);

        header.order(ByteOrder.BIG_ENDIAN).putInt(at, Integer.MAX_VALUE - 16).order(ByteOrder.LITTLE_ENDIAN);
        assertThrows(MalformedFragmentException.class, () -> HeaderReader.read(header, 0, header.capacity(), METADATA.comparator));
    }

    private static RangeTombstone range(int from, int to)
    {
        Slice slice = Slice.make(bound(Kind.INCL_START_BOUND, from), bound(Kind.EXCL_END_BOUND, to));
        return new RangeTombstone(slice, DeletionTime.build(1, 1));
    }

    private static ClusteringBound<?> bound(Kind kind, int element)
    {
        return BufferClusteringBound.create(kind, new ByteBuffer[]{ LIST.decompose(List.of(element)) });
    }

    /** Where the length of the second range's first element stands, as the list has it. */
    private static int lengthOf(ByteBuffer header)
    {
        ByteBuffer big = header.duplicate().order(ByteOrder.BIG_ENDIAN);
        for (int at = 0; at + 2 * Integer.BYTES <= big.limit(); at++)
            if (big.getInt(at) == ELEMENT_BYTES && big.getInt(at + Integer.BYTES) == ELEMENT)
                return at;
        throw new AssertionError("the header has no such list");
    }
}
