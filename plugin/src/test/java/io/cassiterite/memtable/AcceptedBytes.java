/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;

import org.apache.cassandra.db.marshal.AbstractType;
import org.apache.cassandra.utils.ByteBufferUtil;

/** Random bytes that pass Cassandra's checks of a type: values that no driver writes, but any client may bind. */
final class AcceptedBytes
{
    private static final int TRIES = 12;
    private static final int[] COUNTS = { -1, -2, Integer.MIN_VALUE, Integer.MAX_VALUE, 0, 1 };

    private AcceptedBytes()
    {
    }

    static ByteBuffer any(Random random, AbstractType<?> type)
    {
        return of(random, type, RandomValue.value(random, type));
    }

    /** Spoils the value, again and again; what passes the checks at last. */
    static ByteBuffer of(Random random, AbstractType<?> type, ByteBuffer value)
    {
        ByteBuffer accepted = value;
        for (int i = random.nextInt(TRIES); i > 0; i--)
        {
            ByteBuffer spoilt = spoil(random, accepted);
            if (passes(type, spoilt))
                accepted = spoilt;
        }
        return accepted;
    }

    /** Bytes that no check has seen. */
    static ByteBuffer spoilt(Random random, AbstractType<?> type)
    {
        ByteBuffer value = RandomValue.value(random, type);
        for (int i = random.nextInt(3); i >= 0; i--)
            value = spoil(random, value);
        return value;
    }

    private static boolean passes(AbstractType<?> type, ByteBuffer value)
    {
        try
        {
            type.validate(value);
            return true;
        }
        catch (RuntimeException | AssertionError e)
        {
            return false;
        }
    }

    private static ByteBuffer spoil(Random random, ByteBuffer value)
    {
        byte[] bytes = ByteBufferUtil.getArray(value);
        int at = bytes.length == 0 ? 0 : random.nextInt(bytes.length);
        switch (random.nextInt(7))
        {
            case 0:
                return ByteBuffer.wrap(Arrays.copyOf(bytes, at));
            case 1:
                return ByteBuffer.wrap(Arrays.copyOf(bytes, bytes.length + 1 + random.nextInt(9)));
            case 2:
                return signBytes(random, bytes);
            case 3:
                return ByteBuffer.allocate(Integer.BYTES).putInt(0, COUNTS[random.nextInt(COUNTS.length)]);
            case 4:
                return withCount(random, bytes);
            case 5:
                return emptied(bytes);
            default:
                if (bytes.length > 0)
                    bytes[at] = (byte) (random.nextBoolean() ? random.nextInt() : random.nextInt(3) - 1);
                return ByteBuffer.wrap(bytes);
        }
    }

    /** More of what a number begins with anyway. */
    private static ByteBuffer signBytes(Random random, byte[] bytes)
    {
        byte[] longer = new byte[bytes.length + random.nextInt(12)];
        Arrays.fill(longer, bytes.length > 0 && bytes[0] < 0 ? (byte) -1 : 0);
        System.arraycopy(bytes, 0, longer, longer.length - bytes.length, bytes.length);
        return ByteBuffer.wrap(longer);
    }

    private static ByteBuffer withCount(Random random, byte[] bytes)
    {
        ByteBuffer value = ByteBuffer.wrap(bytes);
        if (bytes.length >= Integer.BYTES)
            value.putInt(random.nextInt(bytes.length - Integer.BYTES + 1), COUNTS[random.nextInt(COUNTS.length)]);
        return value;
    }

    /** One collection or decimal, in a tuple or list of one, with a count below zero, or no digits. */
    private static ByteBuffer emptied(byte[] bytes)
    {
        for (int at = 0; at + Integer.BYTES <= bytes.length; at++)
        {
            int length = ByteBuffer.wrap(bytes).getInt(at);
            int end = at + Integer.BYTES + length;
            if (length <= Integer.BYTES || end > bytes.length || end < 0)
                continue;
            return ByteBuffer.allocate(bytes.length - length + Integer.BYTES)
                             .put(bytes, 0, at).putInt(Integer.BYTES).putInt(-1)
                             .put(bytes, end, bytes.length - end).flip();
        }
        return ByteBuffer.wrap(bytes);
    }
}
