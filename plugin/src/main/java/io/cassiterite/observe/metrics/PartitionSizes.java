/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe.metrics;

import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.concurrent.TimeUnit;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.rows.ColumnData;
import org.apache.cassandra.db.rows.ComplexColumnData;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.db.rows.Unfiltered;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.dht.Murmur3Partitioner.LongToken;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.utils.EstimatedHistogram;

import io.cassiterite.engine.RangeSizes;
import io.cassiterite.memtable.CassiteriteMemtable;
import io.cassiterite.memtable.EngineTables;

/**
 * How large the partitions of an engine table are: estimates from up to 64 of them, of each of which up to 1,000 rows are
 * read. Read anew when it is asked for and ten minutes old. Safe from any thread.
 */
final class PartitionSizes
{
    private static final int PARTITIONS = 64;
    private static final int ROWS = 1_000;
    /** As an sstable has them. */
    private static final int SIZE_BUCKETS = 150;
    private static final int CELL_BUCKETS = 118;
    private static final long LIFE_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final ColumnFamilyStore cfs;
    private Histograms known;

    PartitionSizes(ColumnFamilyStore cfs)
    {
        this.cfs = cfs;
    }

    /** @return partitions by their bytes, in the buckets of {@link EstimatedHistogram}; nothing for an empty table */
    long[] bytes()
    {
        return histograms().bytes;
    }

    /** @return partitions by their cells */
    long[] cells()
    {
        return histograms().cells;
    }

    /** @return of the partitions that were read the largest, or a larger one that a search has found; 0 for an empty table */
    long largestBytes()
    {
        return histograms().largestBytes;
    }

    /** @return of the partitions that were read; 0 for an empty table */
    long smallestBytes()
    {
        return histograms().smallestBytes;
    }

    private synchronized Histograms histograms()
    {
        CassiteriteMemtable memtable = EngineTables.find(cfs.metadata.id);
        if (memtable == null || memtable.table() == null)
            return Histograms.NONE;
        if (known == null || known.memtable != memtable || System.nanoTime() - known.readAtNanos > LIFE_NANOS)
            known = read(memtable);
        return known;
    }

    static Histograms read(CassiteriteMemtable memtable)
    {
        Token minimum = memtable.metadata().partitioner.getMinimumToken();
        Range<Token> ring = new Range<>(minimum, minimum);
        EstimatedHistogram bytes = new EstimatedHistogram(SIZE_BUCKETS);
        EstimatedHistogram cells = new EstimatedHistogram(CELL_BUCKETS);
        LongSummaryStatistics exact = new LongSummaryStatistics();
        KeySample.visit(memtable, List.of(ring), PARTITIONS, partition ->
        {
            Measure measure = new Measure(memtable, partition);
            bytes.add(measure.bytes);
            cells.add(measure.cells);
            exact.accept(measure.bytes);
        });
        long partitions = RangeSizes.of(memtable.table(), List.of(ring)).partitions(ring);
        if (exact.getCount() == 0)
            return new Histograms(memtable, new long[0], new long[0], 0, 0);
        return new Histograms(memtable, scaled(bytes, partitions), scaled(cells, partitions),
                              Math.max(exact.getMax(), memtable.table().largePartitionBytes()), exact.getMin());
    }

    /** So that the counts of the sample make up all partitions. */
    private static long[] scaled(EstimatedHistogram sample, long partitions)
    {
        long[] counts = sample.getBuckets(false);
        long sampled = sample.count();
        if (sampled == 0)
            return new long[0];
        for (int i = 0; i < counts.length; i++)
            counts[i] = Math.round((double) counts[i] / sampled * Math.max(partitions, sampled));
        return counts;
    }

    /** What is known of a generation of the table. */
    static final class Histograms
    {
        static final Histograms NONE = new Histograms(null, new long[0], new long[0], 0, 0);

        final CassiteriteMemtable memtable;
        final long[] bytes;
        final long[] cells;
        final long largestBytes;
        final long smallestBytes;
        final long readAtNanos = System.nanoTime();

        Histograms(CassiteriteMemtable memtable, long[] bytes, long[] cells, long largestBytes, long smallestBytes)
        {
            this.memtable = memtable;
            this.bytes = bytes;
            this.cells = cells;
            this.largestBytes = largestBytes;
            this.smallestBytes = smallestBytes;
        }
    }

    /** One partition. What lies behind the rows that are read is taken to be like them, by the engine's size of the whole. */
    private static final class Measure
    {
        long bytes;
        long cells;

        Measure(CassiteriteMemtable memtable, UnfilteredRowIterator partition)
        {
            bytes = partition.partitionKey().getKey().remaining();
            add(partition.staticRow());
            int rows = 0;
            while (partition.hasNext() && rows < ROWS)
            {
                Unfiltered unfiltered = partition.next();
                if (unfiltered.isRow())
                    add((Row) unfiltered);
                rows++;
            }
            if (partition.hasNext())
                extrapolate(memtable, partition.partitionKey().getToken());
        }

        private void add(Row row)
        {
            bytes += row.dataSize();
            for (ColumnData column : row.columnData())
                cells += column instanceof ComplexColumnData ? ((ComplexColumnData) column).cellsCount() : 1;
        }

        private void extrapolate(CassiteriteMemtable memtable, Token token)
        {
            Range<Token> range = new Range<>(new LongToken(token.getLongValue() - 1), token);
            long whole = RangeSizes.of(memtable.table(), List.of(range)).dataBytes(range);
            if (whole <= bytes)
                return;
            cells = Math.round((double) cells * whole / bytes);
            bytes = whole;
        }
    }
}
