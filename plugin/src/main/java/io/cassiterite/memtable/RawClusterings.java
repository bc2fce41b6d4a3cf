/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.nio.ByteBuffer;
import java.util.Arrays;

import org.apache.cassandra.db.ClusteringPrefix;
import org.apache.cassandra.db.marshal.ValueAccessor;

import io.cassiterite.engine.DirectOutput;

/** The raw values of clusterings and bounds, as they stand in fragments. */
final class RawClusterings
{
    private static final byte[][] EMPTY = new byte[0][];

    private RawClusterings()
    {
    }

    /** Writes the length of all components, then each with its own. */
    static <V> void put(DirectOutput out, ClusteringPrefix<V> clustering)
    {
        ValueAccessor<V> accessor = clustering.accessor();
        int components = clustering.size();
        int total = 0;
        for (int i = 0; i < components; i++)
        {
            V value = clustering.get(i);
            int size = value == null ? 0 : accessor.size(value);
            total += value == null ? 1 : varintSize(size + 1L) + size;
        }
        out.putUnsignedVarint(total);
        for (int i = 0; i < components; i++)
        {
            V value = clustering.get(i);
            if (value == null)
            {
                out.putUnsignedVarint(0);
                continue;
            }
            int size = accessor.size(value);
            out.putUnsignedVarint(size + 1L);
            out.putValue(accessor, value, size);
        }
    }

    /** Reads the components of a full clustering of {@code size} columns. */
    static byte[][] readFull(ByteBuffer in, int size)
    {
        int end = Varints.readLength(in) + in.position();
        byte[][] values = new byte[size][];
        for (int i = 0; i < size; i++)
            values[i] = readComponent(in, end);
        if (in.position() != end)
            throw new MalformedFragmentException("a clustering with more than " + size + " components");
        return values;
    }

    /** Reads the components of a bound, as many as there are. */
    static byte[][] readPrefix(ByteBuffer in, int limit)
    {
        int end = Varints.readLength(in) + in.position();
        if (in.position() == end)
            return EMPTY;
        byte[][] values = new byte[limit][];
        int size = 0;
        while (in.position() < end)
        {
            if (size == limit)
                throw new MalformedFragmentException("a bound with more than " + limit + " components");
            values[size++] = readComponent(in, end);
        }
        return size == limit ? values : Arrays.copyOf(values, size);
    }

    private static byte[] readComponent(ByteBuffer in, int end)
    {
        long coded = Varints.read(in);
        if (coded == 0)
            return null;
        if (coded < 0 || coded - 1 > end - in.position())
            throw new MalformedFragmentException("a clustering component of " + (coded - 1) + " bytes");
        byte[] value = new byte[(int) (coded - 1)];
        in.get(value);
        return value;
    }

    private static int varintSize(long value)
    {
        return 1 + (63 - Long.numberOfLeadingZeros(value | 1)) / 7;
    }
}
