/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.engine;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The engine's ids of a table's live columns, as parallel arrays in no particular order. Immutable by convention. */
public final class ColumnIds
{
    private final int[] ids;
    private final boolean[] statics;
    private final byte[][] names;

    private ColumnIds(int count)
    {
        ids = new int[count];
        statics = new boolean[count];
        names = new byte[count][];
    }

    static ColumnIds parse(byte[] answer)
    {
        ByteBuffer in = ByteBuffer.wrap(answer).order(ByteOrder.LITTLE_ENDIAN);
        ColumnIds columns = new ColumnIds(in.getInt());
        for (int i = 0; i < columns.ids.length; i++)
        {
            columns.ids[i] = in.getInt();
            columns.statics[i] = in.get() == TableSchema.STATIC;
            columns.names[i] = bytes(in);
            bytes(in); // the CQL type, which the schema knows better
        }
        return columns;
    }

    private static byte[] bytes(ByteBuffer in)
    {
        byte[] bytes = new byte[in.getInt()];
        in.get(bytes);
        return bytes;
    }

    public int count()
    {
        return ids.length;
    }

    public int id(int index)
    {
        return ids[index];
    }

    public boolean isStatic(int index)
    {
        return statics[index];
    }

    public byte[] name(int index)
    {
        return names[index];
    }
}
