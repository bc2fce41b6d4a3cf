/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.move;

import org.apache.cassandra.db.compaction.CompactionManager;
import org.apache.cassandra.db.rows.Unfiltered;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.db.rows.WrappingUnfilteredRowIterator;

/**
 * Holds the writing of sstables to {@code compaction_throughput}, to the free space and to its end, also inside a partition. It does
 * so in steps: what is done for each row or partition is most of what a table of small ones costs. For one thread.
 */
final class DepartureThrottle
{
    private static final long STEP_BYTES = 1L << 20;
    /** Rows may be much shorter on the device than they are. */
    private static final int STEP_ROWS = 4096;
    /** What has been written is asked of all sstables that are being written, of which there may be many. */
    private static final int LOOK_ROWS = 16;
    private static final int STEPS_PER_SPACE_CHECK = 64;

    private final UnseenSstables sstables;
    private final Step step;
    private long writtenBytes;
    private long lookedBytes;
    private int rows;
    /** One at a time where they are long. */
    private int rowsToLook = LOOK_ROWS;
    private int steps;

    /** What is to be done now and then. */
    interface Step
    {
        /** Throws what is to end the writing. */
        void at(UnfilteredRowIterator partition);
    }

    DepartureThrottle(UnseenSstables sstables, Step step)
    {
        this.sstables = sstables;
        this.step = step;
    }

    /** The partition, which this holds up while its rows are read. */
    UnfilteredRowIterator of(UnfilteredRowIterator partition)
    {
        count(partition);
        return new Throttled(partition);
    }

    private void count(UnfilteredRowIterator partition)
    {
        rows++;
        if (--rowsToLook > 0)
            return;
        long written = sstables.bytes();
        rowsToLook = written - lookedBytes >= STEP_BYTES ? 1 : LOOK_ROWS;
        lookedBytes = written;
        if (rows >= STEP_ROWS || written - writtenBytes >= STEP_BYTES)
            step(partition);
    }

    private void step(UnfilteredRowIterator partition)
    {
        rows = 0;
        step.at(partition);
        if (steps++ % STEPS_PER_SPACE_CHECK == 0)
            sstables.checkRoom();
        long written = sstables.bytes();
        long since = Math.min(Integer.MAX_VALUE, written - writtenBytes);
        writtenBytes = written;
        if (since > 0)
            CompactionManager.instance.getRateLimiter().acquire((int) since);
    }

    /** Not one of Cassandra's transformations, each of which costs as much as the reading of a short row. */
    private final class Throttled implements WrappingUnfilteredRowIterator
    {
        private final UnfilteredRowIterator partition;

        private Throttled(UnfilteredRowIterator partition)
        {
            this.partition = partition;
        }

        @Override
        public UnfilteredRowIterator wrapped()
        {
            return partition;
        }

        @Override
        public Unfiltered next()
        {
            count(partition);
            return partition.next();
        }
    }
}
