/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.nio.ByteBuffer;
import java.util.NoSuchElementException;

import org.apache.cassandra.db.BufferDecoratedKey;
import org.apache.cassandra.db.DataRange;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.EmptyIterators;
import org.apache.cassandra.db.PartitionPosition;
import org.apache.cassandra.db.Slices;
import org.apache.cassandra.db.filter.ClusteringIndexFilter;
import org.apache.cassandra.db.partitions.AbstractUnfilteredPartitionIterator;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.bytecomparable.ByteComparable;

import io.cassiterite.engine.Answer;
import io.cassiterite.engine.Buffers;
import io.cassiterite.engine.DirectOutput;
import io.cassiterite.engine.View;

/**
 * Reads a range of partitions, in one scan of the engine if the same slices are selected of each. Where they differ
 * (the partition in which a page begins), or rows are read in reverse, partitions are read one by one.
 */
final class ScanReader extends AbstractUnfilteredPartitionIterator
{
    /** The key of no partition, because no partition key is empty: it selects the filter that all share. */
    private static final DecoratedKey NO_KEY = new BufferDecoratedKey(Murmur3Partitioner.MINIMUM, ByteBuffer.allocate(0));

    private final ReadContext context;
    private final DataRange range;
    /** Null: as of now. */
    private final View view;
    private final ByteComparable to;
    private final Slices slices;
    private final boolean keysOnly;

    private DecoratedKey pageStart;
    private ByteComparable from;
    private Answer answer;
    private RowSource current;
    private boolean atPartition;
    private boolean ended;

    ScanReader(ReadContext context, DataRange range)
    {
        this(context, range, null);
    }

    /** @param view of whole ranges in order; null for any range, as of now */
    ScanReader(ReadContext context, DataRange range, View view)
    {
        this.context = context;
        this.range = range;
        this.view = view;
        this.from = range.startAsByteComparable();
        this.to = range.stopAsByteComparable();
        this.keysOnly = range.isReversed();
        PartitionPosition start = range.startKey();
        boolean pages = range.isPaging() && start instanceof DecoratedKey;
        if (pages && range.contains(start))
        {
            pageStart = (DecoratedKey) start;
            from = start.asComparableBound(false);
        }
        this.slices = keysOnly ? Slices.NONE : commonSlices();
    }

    /** The filter of every partition except the one in which a page begins. */
    private Slices commonSlices()
    {
        return range.clusteringIndexFilter(NO_KEY).getSlices(context.metadata());
    }

    @Override
    public TableMetadata metadata()
    {
        return context.metadata();
    }

    @Override
    public boolean hasNext()
    {
        if (pageStart != null || atPartition)
            return true;
        if (ended)
            return false;
        leavePartition();
        if (answer == null)
            answer = open();
        atPartition = answer.nextPartition();
        if (!atPartition)
            close();
        return atPartition;
    }

    @Override
    public UnfilteredRowIterator next()
    {
        if (!hasNext())
            throw new NoSuchElementException();
        if (pageStart != null)
        {
            DecoratedKey key = pageStart;
            pageStart = null;
            return readAlone(key);
        }
        atPartition = false;
        DecoratedKey key = readKey();
        if (keysOnly)
            return readAlone(key);
        current = new RowSource(answer, false);
        UnfilteredRowIterator partition = PartitionReader.assemble(context, key, slices, false, current);
        return partition != null ? partition : EmptyIterators.unfilteredRow(metadata(), key, false);
    }

    @Override
    public void close()
    {
        ended = true;
        atPartition = false;
        pageStart = null;
        leavePartition();
        if (answer != null)
        {
            answer.close();
            answer = null;
        }
    }

    /** Ends the partition that was returned last, which the caller may not have closed. */
    private void leavePartition()
    {
        if (current != null)
        {
            current.close();
            current = null;
        }
    }

    private Answer open()
    {
        DirectOutput request = Buffers.request();
        if (keysOnly)
            ReadRequests.putKeyScan(request, from, to, ReadRequests.FIRST_CHUNK_BYTES);
        else
            ReadRequests.putScan(request, context.columns.keys, from, to, slices, context.selection.fetchesStatics(),
                                 ReadRequests.FIRST_CHUNK_BYTES, context.rowsWanted());
        return view != null ? view.scan(request, context) : context.table.scan(request, context);
    }

    private DecoratedKey readKey()
    {
        ByteBuffer in = answer.buffer();
        int start = answer.start();
        byte[] key = new byte[answer.end() - start - 8];
        long token = in.getLong(start);
        in.position(start + 8);
        in.get(key);
        return new BufferDecoratedKey(new Murmur3Partitioner.LongToken(token), ByteBuffer.wrap(key));
    }

    private UnfilteredRowIterator readAlone(DecoratedKey key)
    {
        ClusteringIndexFilter filter = range.clusteringIndexFilter(key);
        UnfilteredRowIterator partition = PartitionReader.read(context, key, filter.getSlices(metadata()), filter.isReversed());
        return partition != null ? partition : EmptyIterators.unfilteredRow(metadata(), key, filter.isReversed());
    }
}
