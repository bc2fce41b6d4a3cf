/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.nio.ByteBuffer;
import java.util.Set;

import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.ClusteringComparator;
import org.apache.cassandra.db.marshal.AbstractType;
import org.apache.cassandra.db.marshal.AsciiType;
import org.apache.cassandra.db.marshal.ByteArrayAccessor;
import org.apache.cassandra.db.marshal.BytesType;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.marshal.LongType;
import org.apache.cassandra.db.marshal.TimeUUIDType;
import org.apache.cassandra.db.marshal.TimestampType;
import org.apache.cassandra.db.marshal.UTF8Type;
import org.apache.cassandra.db.marshal.UUIDType;
import org.apache.cassandra.db.marshal.ValueAccessor;
import org.apache.cassandra.utils.bytecomparable.ByteSource;

import static org.apache.cassandra.utils.bytecomparable.ByteSource.NEXT_COMPONENT;
import static org.apache.cassandra.utils.bytecomparable.ByteSource.NEXT_COMPONENT_EMPTY;
import static org.apache.cassandra.utils.bytecomparable.ByteSource.NEXT_COMPONENT_EMPTY_REVERSED;
import static org.apache.cassandra.utils.bytecomparable.ByteSource.NEXT_COMPONENT_NULL;
import static org.apache.cassandra.utils.bytecomparable.ByteSource.TERMINATOR;

/**
 * Which components come back from their order form as they were written, and how. Of all others an entry repeats the
 * bytes. Stateless.
 */
final class RowNames
{
    private static final Set<AbstractType<?>> OF_ANY_SIZE = Set.of(UTF8Type.instance, AsciiType.instance, BytesType.instance);
    private static final Set<AbstractType<?>> OF_ONE_SIZE = Set.of(Int32Type.instance, LongType.instance, TimestampType.instance,
                                                                   UUIDType.instance, TimeUUIDType.instance);
    private static final int UUID_VERSION_AT = 6;
    private static final int TIME_UUID = 0x10;

    private RowNames()
    {
    }

    /** Whether the forms of all components say how they were written. */
    static <V> boolean comeBack(ClusteringComparator types, Clustering<V> components)
    {
        for (int i = 0, size = components.size(); i < size; i++)
        {
            V value = components.get(i);
            if (value != null && !comesBack(types.subtype(i).unwrap(), components.accessor(), value))
                return false;
        }
        return true;
    }

    private static <V> boolean comesBack(AbstractType<?> type, ValueAccessor<V> accessor, V value)
    {
        if (OF_ANY_SIZE.contains(type))
            return true;
        if (!OF_ONE_SIZE.contains(type))
            return false;
        // the form of other sizes, and of other UUIDs among those of time, is that of no value
        int size = accessor.size(value);
        return size == 0 || size == type.valueLengthIfFixed()
                            && (type != TimeUUIDType.instance || (accessor.getByte(value, UUID_VERSION_AT) & 0xF0) == TIME_UUID);
    }

    /** Reads components of which {@link #comeBack} is true, to the end of their form. */
    static byte[][] read(ByteBuffer in, ClusteringComparator types)
    {
        Form form = new Form(in);
        ByteSource.Peekable source = ByteSource.peekable(form);
        byte[][] values = new byte[types.size()][];
        for (int i = 0; i < values.length; i++)
            values[i] = component(source, types.subtype(i));
        if (source.next() != TERMINATOR)
            throw new MalformedFragmentException("the row of an index entry has no end");
        return values;
    }

    private static byte[] component(ByteSource.Peekable source, AbstractType<?> type)
    {
        switch (source.next())
        {
            case NEXT_COMPONENT:
                return type.fromComparableBytes(ByteArrayAccessor.instance, source, KeyEncoder.VERSION);
            case NEXT_COMPONENT_EMPTY:
            case NEXT_COMPONENT_EMPTY_REVERSED:
                return ByteArrayAccessor.instance.empty();
            case NEXT_COMPONENT_NULL:
                return null;
            default:
                throw new MalformedFragmentException("the row of an index entry is none");
        }
    }

    /** The bytes that are left in a buffer. */
    private static final class Form implements ByteSource
    {
        private final ByteBuffer in;

        private Form(ByteBuffer in)
        {
            this.in = in;
        }

        @Override
        public int next()
        {
            return in.hasRemaining() ? in.get() & 0xFF : END_OF_STREAM;
        }
    }
}
