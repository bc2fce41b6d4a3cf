/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.math.BigInteger;
import java.nio.ByteBuffer;

import org.apache.cassandra.db.marshal.AbstractType;
import org.apache.cassandra.db.marshal.ByteBufferAccessor;
import org.apache.cassandra.db.marshal.DecimalType;
import org.apache.cassandra.db.marshal.DoubleType;
import org.apache.cassandra.db.marshal.FloatType;
import org.apache.cassandra.db.marshal.IntegerType;
import org.apache.cassandra.db.marshal.ValueAccessor;
import org.apache.cassandra.utils.bytecomparable.ByteSource;

/**
 * The byte-comparable forms of numbers, where Cassandra's own form does not agree with the comparator, fails, or takes
 * minutes. It takes NaNs of different bits, which are equal, for different numbers. It fails on a varint behind more than
 * eight sign bytes. Of a decimal, it divides the rest of all digits for each two of them.
 */
final class NumberForm
{
    private static final ByteBuffer FLOAT_NAN = FloatType.instance.decompose(Float.NaN);
    private static final ByteBuffer DOUBLE_NAN = DoubleType.instance.decompose(Double.NaN);

    /** Cassandra's form of a varint is never wrong up to this size. */
    private static final int SHORT_VARINT_BYTES = Long.BYTES;
    private static final int SCALE_BYTES = Integer.BYTES;

    private static final int DECIMAL_ZERO = 0x80;
    private static final int POSITIVE = 0x80;
    /** Plus the number of the exponent's bytes, or minus it where the exponent is negative. */
    private static final int EXPONENT = 0x40;
    /** What is added to a pair of digits. */
    private static final int PAIR = 0x80;
    /** Before the scale of a decimal without digits; no other form begins so. */
    private static final int NO_DIGITS = 0xFF;

    private NumberForm()
    {
    }

    /** @return null if the type is none of these, or the value is to have Cassandra's form */
    static <V> ByteSource of(AbstractType<?> type, ValueAccessor<V> accessor, V value)
    {
        if (type == DecimalType.instance)
            return accessor.isEmpty(value) ? null : decimal(accessor, value);
        if (type == IntegerType.instance)
            return accessor.size(value) <= SHORT_VARINT_BYTES ? null : shortest(accessor, value);
        if (type == DoubleType.instance)
            return isDoubleNan(accessor, value) ? cassandras(type, DOUBLE_NAN) : null;
        if (type == FloatType.instance)
            return isFloatNan(accessor, value) ? cassandras(type, FLOAT_NAN) : null;
        return null;
    }

    private static <V> boolean isDoubleNan(ValueAccessor<V> accessor, V value)
    {
        return !accessor.isEmpty(value) && Double.isNaN(accessor.toDouble(value));
    }

    private static <V> boolean isFloatNan(ValueAccessor<V> accessor, V value)
    {
        return !accessor.isEmpty(value) && Float.isNaN(accessor.toFloat(value));
    }

    private static ByteSource cassandras(AbstractType<?> type, ByteBuffer value)
    {
        return type.asComparableBytes(ByteBufferAccessor.instance, value.duplicate(), KeyEncoder.VERSION);
    }

    /** Of a varint, without the sign bytes that it does not need. */
    private static <V> ByteSource shortest(ValueAccessor<V> accessor, V value)
    {
        int last = accessor.size(value) - 1;
        byte sign = (byte) (accessor.getByte(value, 0) >> 7);
        int from = 0;
        while (from < last && accessor.getByte(value, from) == sign && accessor.getByte(value, from + 1) >> 7 == sign)
            from++;
        V digits = accessor.slice(value, from, last + 1 - from);
        return IntegerType.instance.asComparableBytes(accessor, digits, KeyEncoder.VERSION);
    }

    /** A decimal without digits passes Cassandra's checks, and its comparator fails on it: it sorts behind all others, by its scale. */
    private static <V> ByteSource decimal(ValueAccessor<V> accessor, V value)
    {
        int scale = accessor.getInt(value, 0);
        int size = accessor.size(value) - SCALE_BYTES;
        if (size == 0)
            return ByteSource.fixedLength(ByteBuffer.allocate(1 + SCALE_BYTES).put((byte) NO_DIGITS).putInt(scale).array());
        BigInteger unscaled = new BigInteger(accessor.toArray(value, SCALE_BYTES, size));
        if (unscaled.signum() == 0)
            return ByteSource.oneByte(DECIMAL_ZERO);
        return ByteSource.fixedLength(decimal(unscaled.signum() < 0, unscaled.abs().toString(), scale));
    }

    /** The number is 0.DIGITS times 100 to the power of an exponent, which the form has before the pairs of digits. */
    private static byte[] decimal(boolean isNegative, String digits, int scale)
    {
        long point = digits.length() - (long) scale;
        int lead = (int) (point & 1);
        int significant = digits.length();
        while (digits.charAt(significant - 1) == '0')
            significant--;
        int pairs = (significant + lead + 1) / 2;
        int exponent = (int) (point + 1 >> 1);
        int modulated = isNegative ? -exponent : exponent;
        int count = Integer.BYTES - Integer.numberOfLeadingZeros(Math.abs(modulated)) / 8;

        byte[] form = new byte[1 + count + pairs + 1];
        int at = 0;
        form[at++] = (byte) ((isNegative ? 0 : POSITIVE) + EXPONENT + (modulated < 0 ? -count : count));
        for (int i = count - 1; i >= 0; i--)
            form[at++] = (byte) (modulated >> 8 * i);
        for (int i = 0; i < pairs; i++)
        {
            int pair = 10 * digit(digits, 2 * i - lead) + digit(digits, 2 * i + 1 - lead);
            form[at++] = (byte) pair(isNegative, pair, i == 0, i == pairs - 1);
        }
        return form;
    }

    private static int digit(String digits, int at)
    {
        return at < 0 || at >= digits.length() ? 0 : digits.charAt(at) - '0';
    }

    /** The digits of a number below zero are those of what is missing to one, after the first pair was rounded down. */
    private static int pair(boolean isNegative, int pair, boolean isFirst, boolean isLast)
    {
        if (!isNegative)
            return PAIR + pair;
        int missing = isLast ? -pair : -pair - 1;
        return PAIR + (isFirst ? missing : 100 + missing);
    }
}
