/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.nio.ByteBuffer;

import org.apache.cassandra.db.BufferClusteringBound;
import org.apache.cassandra.db.ClusteringBound;
import org.apache.cassandra.db.ClusteringComparator;
import org.apache.cassandra.db.ClusteringPrefix;
import org.apache.cassandra.db.DeletionTime;
import org.apache.cassandra.db.MutableDeletionInfo;
import org.apache.cassandra.db.RangeTombstone;
import org.apache.cassandra.db.RangeTombstoneList;
import org.apache.cassandra.db.Slice;

/** Reads header fragments. */
final class HeaderReader
{
    private HeaderReader()
    {
    }

    /** Reads the header that stands in {@code in} from {@code start} to {@code end}. */
    static MutableDeletionInfo read(ByteBuffer in, int start, int end, ClusteringComparator comparator)
    {
        in.limit(end).position(start);
        try
        {
            int version = in.get();
            if (version != Fragments.VERSION)
                throw new MalformedFragmentException("header version " + version);
            int flags = in.get();
            DeletionTime partition = (flags & Fragments.PARTITION_DELETION) != 0 ? readDeletion(in) : DeletionTime.LIVE;
            if ((flags & Fragments.RANGES) == 0)
                return new MutableDeletionInfo(partition);
            return new MutableDeletionInfo(partition, readRanges(in, comparator));
        }
        catch (MalformedFragmentException e)
        {
            throw e;
        }
        catch (RuntimeException | AssertionError e)
        {
            throw new MalformedFragmentException(e);
        }
        finally
        {
            in.limit(in.capacity());
        }
    }

    private static RangeTombstoneList readRanges(ByteBuffer in, ClusteringComparator comparator)
    {
        int count = Varints.readLength(in);
        RangeTombstoneList ranges = new RangeTombstoneList(comparator, count);
        for (int i = 0; i < count; i++)
        {
            ClusteringBound<?> start = readBound(in, comparator, true);
            ClusteringBound<?> end = readBound(in, comparator, false);
            ranges.add(new RangeTombstone(Slice.make(start, end), readDeletion(in)));
        }
        return ranges;
    }

    private static ClusteringBound<?> readBound(ByteBuffer in, ClusteringComparator comparator, boolean isStart)
    {
        int length = Varints.readLength(in);
        int side = length == 0 ? -1 : in.get(in.position() + length - 1);
        in.position(in.position() + length);
        return BufferClusteringBound.create(kind(side, isStart), buffers(RawClusterings.readPrefix(in, comparator.size())));
    }

    /** Of buffers Cassandra compares parts without copying them, and refuses a part that ends beyond its value. */
    private static ByteBuffer[] buffers(byte[][] values)
    {
        ByteBuffer[] buffers = new ByteBuffer[values.length];
        for (int i = 0; i < values.length; i++)
            buffers[i] = values[i] == null ? null : ByteBuffer.wrap(values[i]);
        return buffers;
    }

    private static ClusteringPrefix.Kind kind(int side, boolean isStart)
    {
        switch (side)
        {
            case Fragments.BEFORE:
                return isStart ? ClusteringPrefix.Kind.INCL_START_BOUND : ClusteringPrefix.Kind.EXCL_END_BOUND;
            case Fragments.AFTER:
                return isStart ? ClusteringPrefix.Kind.EXCL_START_BOUND : ClusteringPrefix.Kind.INCL_END_BOUND;
            default:
                throw new MalformedFragmentException("a position that ends in " + side);
        }
    }

    private static DeletionTime readDeletion(ByteBuffer in)
    {
        long markedForDeleteAt = in.getLong();
        return DeletionTime.build(markedForDeleteAt, Varints.read(in));
    }
}
