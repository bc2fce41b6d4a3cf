/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.nio.ByteBuffer;

import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.ClusteringComparator;
import org.apache.cassandra.db.ClusteringPrefix;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.marshal.AbstractType;
import org.apache.cassandra.db.marshal.AsciiType;
import org.apache.cassandra.db.marshal.BytesType;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.marshal.LongType;
import org.apache.cassandra.db.marshal.TimestampType;
import org.apache.cassandra.db.marshal.UTF8Type;
import org.apache.cassandra.db.marshal.ValueAccessor;
import org.apache.cassandra.utils.bytecomparable.ByteComparable;
import org.apache.cassandra.utils.bytecomparable.ByteSource;

import io.cassiterite.engine.DirectOutput;

import static org.apache.cassandra.utils.bytecomparable.ByteSource.NEXT_COMPONENT;
import static org.apache.cassandra.utils.bytecomparable.ByteSource.NEXT_COMPONENT_NULL;
import static org.apache.cassandra.utils.bytecomparable.ByteSource.TERMINATOR;

/**
 * Writes partition keys and clusterings in their byte-comparable form (version OSS50), without an object per key for
 * the common types. One per comparator; immutable and thread-safe.
 */
final class KeyEncoder
{
    static final ByteComparable.Version VERSION = ByteComparable.Version.OSS50;

    private static final int ESCAPE = 0x00;
    private static final int ESCAPED_ZERO_MORE = 0xFE;
    private static final int ESCAPED_ZERO_DONE = 0xFF;

    private static final byte GENERIC = 0;
    private static final byte ESCAPED = 1;
    private static final byte SIGNED = 2;
    private static final byte VARIABLE_LONG = 3;

    private final ClusteringComparator comparator;
    private final byte[] forms;
    private final int[] widths;
    private final boolean[] reversed;

    KeyEncoder(ClusteringComparator comparator)
    {
        this.comparator = comparator;
        this.forms = new byte[comparator.size()];
        this.widths = new int[comparator.size()];
        this.reversed = new boolean[comparator.size()];
        for (int i = 0; i < forms.length; i++)
        {
            AbstractType<?> type = comparator.subtype(i);
            reversed[i] = type.isReversed();
            forms[i] = form(type.unwrap());
            widths[i] = type.valueLengthIfFixed();
        }
    }

    private static byte form(AbstractType<?> type)
    {
        if (type == UTF8Type.instance || type == AsciiType.instance || type == BytesType.instance)
            return ESCAPED;
        if (type == Int32Type.instance || type == TimestampType.instance)
            return SIGNED;
        return type == LongType.instance ? VARIABLE_LONG : GENERIC;
    }

    ClusteringComparator comparator()
    {
        return comparator;
    }

    /** Writes the form of a Murmur3 key, as {@link DecoratedKey#asComparableBytes} gives it. */
    static void putPartition(DirectOutput out, DecoratedKey key)
    {
        out.putByte(NEXT_COMPONENT);
        out.putBigEndianLong(key.getToken().getLongValue() ^ Long.MIN_VALUE);
        out.putByte(NEXT_COMPONENT);
        ByteBuffer bytes = key.getKey();
        boolean zeros = false;
        for (int i = bytes.position(); i < bytes.limit(); i++)
            zeros = putEscaped(out, bytes.get(i), zeros, 0);
        out.putByte(zeros ? ESCAPED_ZERO_MORE : ESCAPE);
        out.putByte(TERMINATOR);
    }

    /**
     * Writes the form of a clustering or bound, as {@link ClusteringComparator#asByteComparable} gives it but for {@link OrderForm}.
     *
     * @return false if it has bytes that are no value
     */
    <V> boolean putClustering(DirectOutput out, ClusteringPrefix<V> clustering)
    {
        boolean known = putComponents(out, clustering);
        out.putByte(clustering.kind().asByteComparableValue(VERSION));
        return known;
    }

    /** Writes the form that the clustering with the components of {@code bound} has. */
    <V> boolean putClusteringOf(DirectOutput out, ClusteringPrefix<V> bound)
    {
        boolean known = putComponents(out, bound);
        out.putByte(Clustering.EMPTY.kind().asByteComparableValue(VERSION));
        return known;
    }

    private <V> boolean putComponents(DirectOutput out, ClusteringPrefix<V> clustering)
    {
        boolean known = true;
        ValueAccessor<V> accessor = clustering.accessor();
        for (int i = 0, size = clustering.size(); i < size; i++)
        {
            V value = clustering.get(i);
            if (value == null)
                out.putByte(NEXT_COMPONENT_NULL);
            else
                known &= putComponent(out, i, accessor, value);
        }
        return known;
    }

    private <V> boolean putComponent(DirectOutput out, int i, ValueAccessor<V> accessor, V value)
    {
        int flip = reversed[i] ? 0xFF : 0;
        int size = accessor.size(value);
        switch (forms[i])
        {
            case ESCAPED:
                out.putByte(NEXT_COMPONENT);
                putEscaped(out, accessor, value, size, flip);
                return true;
            case SIGNED:
                if (size != widths[i])
                    break;
                out.putByte(NEXT_COMPONENT);
                for (int b = 0; b < size; b++)
                    out.putByte((b == 0 ? accessor.getByte(value, b) ^ 0x80 : accessor.getByte(value, b)) ^ flip);
                return true;
            case VARIABLE_LONG:
                if (size != widths[i])
                    break;
                out.putByte(NEXT_COMPONENT);
                putVariableLong(out, accessor.getLong(value, 0), flip);
                return true;
            default:
                break;
        }
        return putForm(out, comparator.subtype(i), accessor, value);
    }

    private static <V> boolean putForm(DirectOutput out, AbstractType<?> type, ValueAccessor<V> accessor, V value)
    {
        ByteSource form = OrderForm.formOrNoValue(type, accessor, value);
        out.putByte(OrderForm.separator(type, form));
        if (form != null)
            out.putSource(form);
        return !OrderForm.hasNoValue(form);
    }

    private static <V> void putEscaped(DirectOutput out, ValueAccessor<V> accessor, V value, int size, int flip)
    {
        boolean zeros = false;
        for (int b = 0; b < size; b++)
            zeros = putEscaped(out, accessor.getByte(value, b), zeros, flip);
        out.putByte((zeros ? ESCAPED_ZERO_MORE : ESCAPE) ^ flip);
    }

    /** Writes one byte; {@code zeros} says that a run of zero bytes is open before it, and returns whether one is after. */
    private static boolean putEscaped(DirectOutput out, byte value, boolean zeros, int flip)
    {
        if (value == 0)
        {
            out.putByte((zeros ? ESCAPED_ZERO_MORE : ESCAPE) ^ flip);
            return true;
        }
        if (zeros)
            out.putByte(ESCAPED_ZERO_DONE ^ flip);
        out.putByte(value ^ flip);
        return false;
    }

    /** As many leading ones (zeros, if negative) as there are bytes beyond the first, then the number. */
    private static void putVariableLong(DirectOutput out, long number, int flip)
    {
        long sign = number >> 63;
        long magnitude = number ^ sign;
        int bytes = (64 - Long.numberOfLeadingZeros(magnitude | 1)) / 7 + 1;
        int shift = bytes * 8;
        if (bytes >= 9)
        {
            magnitude |= Long.MIN_VALUE;
            out.putByte((sign < 0 ? 0x00 : 0xFF) ^ flip);
            shift = 64;
        }
        else
            magnitude |= ((-0x100 >> bytes) & 0xFFL) << (shift - 8);
        long coded = magnitude ^ sign;
        while (shift > 0)
        {
            shift -= 8;
            out.putByte((int) (coded >>> shift) ^ flip);
        }
    }
}
