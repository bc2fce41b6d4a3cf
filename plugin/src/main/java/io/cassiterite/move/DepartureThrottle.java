/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.move;

import org.apache.cassandra.db.compaction.CompactionManager;
import org.apache.cassandra.db.rows.RangeTombstoneMarker;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.db.transform.Transformation;

/** Holds the writing of sstables to {@code compaction_throughput}, to the free space and to its end, also inside a partition. */
final class DepartureThrottle extends Transformation<UnfilteredRowIterator>
{
    private static final long STEP_BYTES = 1L << 20;
    private static final int STEPS_PER_SPACE_CHECK = 64;

    /** Of a partition or a deletion, about. */
    private static final int HEAD_BYTES = 64;

    private final UnseenSstables sstables;
    private final Runnable checkStop;
    private long readBytes;
    private long writtenBytes;
    private int steps;

    /** @param checkStop throws what is to end the writing */
    DepartureThrottle(UnseenSstables sstables, Runnable checkStop)
    {
        this.sstables = sstables;
        this.checkStop = checkStop;
    }

    UnfilteredRowIterator of(UnfilteredRowIterator partition)
    {
        count(HEAD_BYTES + partition.staticRow().dataSize());
        return Transformation.apply(partition, this);
    }

    @Override
    protected Row applyToRow(Row row)
    {
        count(row.dataSize());
        return row;
    }

    @Override
    protected RangeTombstoneMarker applyToMarker(RangeTombstoneMarker marker)
    {
        count(HEAD_BYTES);
        return marker;
    }

    private void count(long bytes)
    {
        readBytes += bytes;
        if (readBytes >= STEP_BYTES)
            step();
    }

    private void step()
    {
        readBytes = 0;
        checkStop.run();
        if (steps++ % STEPS_PER_SPACE_CHECK == 0)
            sstables.checkRoom();
        long written = sstables.bytes();
        long since = Math.min(Integer.MAX_VALUE, written - writtenBytes);
        writtenBytes = written;
        if (since > 0)
            CompactionManager.instance.getRateLimiter().acquire((int) since);
    }
}
