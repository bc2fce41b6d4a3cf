/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.move;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.compaction.CompactionStrategyManager;
import org.apache.cassandra.db.compaction.LeveledCompactionStrategy;
import org.apache.cassandra.io.sstable.SSTableMultiWriter;

/**
 * How large the sstables become that rows leave into: tens of them, so that tiered compaction has little to do. Leveled compaction
 * gets those of its own size, on the level that takes all of them: they do not overlap.
 */
final class SstableSizes
{
    private static final long BYTES_MIN = 1L << 30;
    private static final long BYTES_MAX = 64L << 30;
    private static final int COUNT = 32;
    /** Fewer sstables of leveled compaction than that are as those of flushes. */
    private static final int UNLEVELED_MAX = 4;
    private static final int LEVEL_MAX = 8;

    private final long allBytes;
    private final long bytesOfOne;
    private final int level;

    private SstableSizes(long allBytes, long bytesOfOne, int level)
    {
        this.allBytes = allBytes;
        this.bytesOfOne = bytesOfOne;
        this.level = level;
    }

    /** @param allBytes of all of them, an estimate */
    static SstableSizes of(ColumnFamilyStore cfs, long allBytes)
    {
        CompactionStrategyManager strategies = cfs.getCompactionStrategyManager();
        if (cfs.metadata().params.compaction.klass() == LeveledCompactionStrategy.class)
            return leveled(allBytes, strategies.getMaxSSTableBytes(), strategies.getLevelFanoutSize());
        return tiered(allBytes);
    }

    static SstableSizes tiered(long allBytes)
    {
        return new SstableSizes(allBytes, Math.min(BYTES_MAX, Math.max(BYTES_MIN, allBytes / COUNT)), 0);
    }

    static SstableSizes leveled(long allBytes, long bytesOfOne, int fanout)
    {
        int level = 0;
        if (allBytes > UNLEVELED_MAX * bytesOfOne)
            for (double most = bytesOfOne; level < LEVEL_MAX && most < allBytes; level++)
                most *= fanout;
        return new SstableSizes(allBytes, bytesOfOne, level);
    }

    long bytesOfOne()
    {
        return bytesOfOne;
    }

    int level()
    {
        return level;
    }

    /** Filters and summaries are sized by it. */
    long partitionsOfOne(long allPartitions)
    {
        return partitionsOfOne(allPartitions, bytesOfOne, allBytes);
    }

    static long partitionsOfOne(long allPartitions, long bytesOfOne, long allBytes)
    {
        return Math.max(1, (long) (allPartitions * Math.min(1, (double) bytesOfOne / Math.max(1, allBytes))));
    }

    /** It ends behind the partition with which it is. */
    boolean isFull(SSTableMultiWriter writer)
    {
        return writer.getOnDiskBytesWritten() >= bytesOfOne;
    }
}
