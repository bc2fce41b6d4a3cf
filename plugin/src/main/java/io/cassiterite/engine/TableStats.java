/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.engine;

/** The engine's counters of one table at one point in time. */
public final class TableStats
{
    private static final int COUNT = 16;

    private final long[] values = new long[COUNT];

    TableStats(long table)
    {
        Native.tableStats(table, values);
    }

    public long estimatedPartitions()
    {
        return values[0];
    }

    public long estimatedKeys()
    {
        return values[1];
    }

    public long sstBytes()
    {
        return values[2];
    }

    public long memtableBytes()
    {
        return values[3];
    }

    /** Smallest timestamp ever written, in the writer's unit (microseconds by habit); Long.MAX_VALUE if none. */
    public long smallestTimestamp()
    {
        return values[4];
    }

    /** True if the generation has never had data. Exact. */
    public boolean isPristine()
    {
        return values[5] == 1;
    }

    public long writesSinceOpen()
    {
        return values[6];
    }

    public long readsSinceOpen()
    {
        return values[7];
    }

    public long bytesWrittenSinceOpen()
    {
        return values[8];
    }

    public long generation()
    {
        return values[9];
    }

    public long pendingCompactionBytes()
    {
        return values[10];
    }

    public long liveSstFiles()
    {
        return values[11];
    }

    /** Since the store was opened, as the following; of all generations. */
    public long flushes()
    {
        return values[12];
    }

    public long flushedBytes()
    {
        return values[13];
    }

    public long compactionWrittenBytes()
    {
        return values[14];
    }

    /** That wait for their flush. */
    public long sealedMemtables()
    {
        return values[15];
    }
}
