/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.engine;

/** What was read of a table's files and found to be what was written. */
public final class Verified
{
    /** How much of each file is read; the order is that of {@link Native#tableVerify}. */
    public enum Depth
    {
        /** What opening it reads. */
        QUICK,
        /** All bytes, for their checksum. */
        CHECKSUMS,
        /** The same, and each entry is decoded. */
        ENTRIES
    }

    private static final int COUNT = 3;

    private final long[] values = new long[COUNT];

    Verified(long table, Depth depth, TokenRanges ranges)
    {
        Native.tableVerify(table, depth.ordinal(), ranges.bytes(), values);
    }

    @Override
    public String toString()
    {
        return String.format("%d files, %d bytes, %d entries decoded", values[0], values[1], values[2]);
    }
}
