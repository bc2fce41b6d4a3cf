/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.util.Arrays;
import java.util.Map;

import org.apache.cassandra.db.marshal.AbstractTimeUUIDType;
import org.apache.cassandra.db.marshal.AbstractType;
import org.apache.cassandra.db.marshal.ByteArrayAccessor;
import org.apache.cassandra.db.marshal.ByteType;
import org.apache.cassandra.db.marshal.DateType;
import org.apache.cassandra.db.marshal.DoubleType;
import org.apache.cassandra.db.marshal.FloatType;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.marshal.LexicalUUIDType;
import org.apache.cassandra.db.marshal.LongType;
import org.apache.cassandra.db.marshal.ShortType;
import org.apache.cassandra.db.marshal.SimpleDateType;
import org.apache.cassandra.db.marshal.TimeType;
import org.apache.cassandra.db.marshal.TimestampType;
import org.apache.cassandra.db.marshal.UUIDType;
import org.apache.cassandra.db.marshal.ValueAccessor;
import org.apache.cassandra.utils.bytecomparable.ByteSource;

/**
 * The byte-comparable forms of values with too few or too many bytes for their type. Only a bound that a client gives as
 * a tuple can be one. Of most integers, Cassandra's comparators go on, byte by byte: one with too few bytes sorts before
 * all that begin with it, one with too many behind the integer that it begins with. Of some types, they read the first
 * bytes and no others.
 */
final class FixedWidth
{
    private static final int UUID_BYTES = 16;

    @SuppressWarnings("deprecation") // DateType: tables from Thrift have it still
    private static final Map<AbstractType<?>, Integer> BYTES = Map.of(Int32Type.instance, Integer.BYTES,
                                                                      LongType.instance, Long.BYTES,
                                                                      TimestampType.instance, Long.BYTES,
                                                                      DateType.instance, Long.BYTES,
                                                                      ShortType.instance, Short.BYTES,
                                                                      SimpleDateType.instance, Integer.BYTES,
                                                                      TimeType.instance, Long.BYTES);
    private static final Map<AbstractType<?>, Integer> FIRST_BYTES = Map.of(ByteType.instance, Byte.BYTES,
                                                                            FloatType.instance, Float.BYTES,
                                                                            DoubleType.instance, Double.BYTES,
                                                                            LexicalUUIDType.instance, UUID_BYTES);
    /** Behind a whole integer; larger than every byte that may follow a component. */
    private static final int TOO_MANY = 0xFF;

    private FixedWidth()
    {
    }

    /** @return the bytes of the value that the comparator reads: all of them, of most types */
    static <V> V read(AbstractType<?> type, ValueAccessor<V> accessor, V value)
    {
        int size = accessor.size(value);
        Integer first = size == type.valueLengthIfFixed() ? null : FIRST_BYTES.get(type);
        return first == null || size <= first ? value : accessor.slice(value, 0, first);
    }

    /**
     * @param value as {@link #read} gives it
     * @return null if the value has as many bytes as it should, or none
     * @throws IllegalArgumentException if they are too few or too many, and Cassandra does not go by them
     */
    static <V> ByteSource form(AbstractType<?> type, ValueAccessor<V> accessor, V value)
    {
        int size = accessor.size(value);
        if (size == 0 || size == type.valueLengthIfFixed())
            return null;
        Integer first = isUuid(type) ? Integer.valueOf(UUID_BYTES) : FIRST_BYTES.get(type);
        if (first != null && size != first)
            throw new IllegalArgumentException(String.format("%s has %d bytes, not %d", type.asCQL3Type(), size, first));
        Integer width = BYTES.get(type);
        return width == null || size == width ? null : form(type, width, accessor.toArray(value));
    }

    /** No map holds these: those of times are equal, but have different hashes. */
    private static boolean isUuid(AbstractType<?> type)
    {
        return type == UUIDType.instance || type instanceof AbstractTimeUUIDType;
    }

    /** What begins with a smaller byte than any that may follow a component has too few bytes: that many. */
    private static ByteSource form(AbstractType<?> type, int width, byte[] value)
    {
        ByteSource whole = type.asComparableBytes(ByteArrayAccessor.instance, Arrays.copyOf(value, width), KeyEncoder.VERSION);
        if (value.length < width)
            return joined(whole, ByteSource.oneByte(value.length));
        byte[] others = Arrays.copyOfRange(value, width, value.length);
        return joined(whole, ByteSource.oneByte(TOO_MANY), ByteSource.of(others, KeyEncoder.VERSION));
    }

    private static ByteSource joined(ByteSource... sources)
    {
        return new ByteSource()
        {
            private int at;

            @Override
            public int next()
            {
                for (; at < sources.length; at++)
                {
                    int next = sources[at].next();
                    if (next != END_OF_STREAM)
                        return next;
                }
                return END_OF_STREAM;
            }
        };
    }
}
