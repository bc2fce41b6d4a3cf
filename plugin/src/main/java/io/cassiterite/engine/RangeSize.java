/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.engine;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/** How much data a token range of a table holds: estimates, none is 0 where there is data. Immutable. */
public final class RangeSize
{
    private static final int SIZE_BYTES = 24;

    private final long partitions;
    private final long bytes;
    private final long dataBytes;

    private RangeSize(long partitions, long bytes, long dataBytes)
    {
        this.partitions = partitions;
        this.bytes = bytes;
        this.dataBytes = dataBytes;
    }

    static List<RangeSize> parse(byte[] answer)
    {
        ByteBuffer in = ByteBuffer.wrap(answer).order(ByteOrder.LITTLE_ENDIAN);
        List<RangeSize> sizes = new ArrayList<>(answer.length / SIZE_BYTES);
        while (in.hasRemaining())
            sizes.add(new RangeSize(in.getLong(), in.getLong(), in.getLong()));
        return sizes;
    }

    public long partitions()
    {
        return partitions;
    }

    /** Bytes on the device and in memory, compressed as they are. */
    public long bytes()
    {
        return bytes;
    }

    /** Bytes of keys and values, uncompressed. */
    public long dataBytes()
    {
        return dataBytes;
    }
}
