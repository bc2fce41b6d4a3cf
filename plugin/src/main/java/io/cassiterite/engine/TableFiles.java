/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.engine;

/** What the properties of a table's files add up to, at one point in time. */
public final class TableFiles
{
    private static final int COUNT = 3;

    private final long[] values = new long[COUNT];

    TableFiles(long table)
    {
        Native.tableFiles(table, values);
    }

    public long bytes()
    {
        return values[0];
    }

    /** Of keys and values, uncompressed. */
    public long dataBytes()
    {
        return values[1];
    }

    public long filterBytes()
    {
        return values[2];
    }
}
