/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.engine;

/** What a finished chunk holds. */
public final class ChunkFigures
{
    private static final int COUNT = 5;

    private final long[] values = new long[COUNT];

    ChunkFigures(long chunk)
    {
        Native.chunkFinish(chunk, values);
    }

    public long files()
    {
        return values[0];
    }

    /** On the device. */
    public long fileBytes()
    {
        return values[1];
    }

    /** Static rows included. */
    public long rows()
    {
        return values[2];
    }

    /** Partitions with deletions of the partition or of ranges. */
    public long headers()
    {
        return values[3];
    }

    /** Of keys and rows, before compression. */
    public long bytes()
    {
        return values[4];
    }

    @Override
    public String toString()
    {
        return String.format("%d rows and %d headers in %d files, %d bytes of %d", rows(), headers(), files(), fileBytes(), bytes());
    }
}
