/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.recipe;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.Random;

import org.apache.cassandra.utils.ByteBufferUtil;

/**
 * Random valid values of the types that keys may have. They are seldom short or small, as constants of statements are: a
 * probe that equals a constant cannot be told apart from it.
 */
final class ProbeValue
{
    private static final long NANOS_PER_DAY = 86_400_000_000_000L;
    private static final int MIN_LENGTH = 6;
    private static final int MAX_LENGTH = 12;

    private ProbeValue()
    {
    }

    static ByteBuffer random(byte type, Random random)
    {
        switch (type)
        {
            case KeyTypes.ASCII:
            case KeyTypes.TEXT:
                return ByteBufferUtil.bytes(letters(random));
            case KeyTypes.BLOB:
                return bytes(random, length(random));
            case KeyTypes.BOOLEAN:
                return ByteBuffer.wrap(new byte[]{ (byte) random.nextInt(2) });
            case KeyTypes.TINYINT:
                return ByteBuffer.wrap(new byte[]{ (byte) random.nextInt() });
            case KeyTypes.SMALLINT:
                return ByteBufferUtil.bytes((short) anyMagnitude(random, Short.SIZE));
            case KeyTypes.INT:
                return ByteBufferUtil.bytes((int) anyMagnitude(random, Integer.SIZE));
            case KeyTypes.BIGINT:
            case KeyTypes.TIMESTAMP:
                return ByteBufferUtil.bytes(anyMagnitude(random, Long.SIZE));
            case KeyTypes.FLOAT:
                return ByteBufferUtil.bytes((float) anyMagnitude(random, Integer.SIZE) / 8);
            case KeyTypes.DOUBLE:
                return ByteBufferUtil.bytes((double) anyMagnitude(random, Integer.SIZE) / 8);
            case KeyTypes.VARINT:
                return ByteBuffer.wrap(BigInteger.valueOf(anyMagnitude(random, Long.SIZE)).toByteArray());
            case KeyTypes.DECIMAL:
                return decimal(BigDecimal.valueOf(anyMagnitude(random, Integer.SIZE), random.nextInt(3)));
            case KeyTypes.DATE:
                return ByteBufferUtil.bytes(random.nextInt());
            case KeyTypes.TIME:
                return ByteBufferUtil.bytes((random.nextLong() >>> 1) % NANOS_PER_DAY);
            case KeyTypes.INET:
                return bytes(random, random.nextBoolean() ? 4 : 16);
            case KeyTypes.UUID:
                return uuid(random, 4);
            case KeyTypes.TIMEUUID:
                return uuid(random, 1);
            default:
                throw new IllegalArgumentException("no probes of type " + type);
        }
    }

    /** Of either sign, so that some probes are below a constant and some above it. */
    private static long anyMagnitude(Random random, int bits)
    {
        return random.nextLong() >> Long.SIZE - 1 - random.nextInt(bits / 2) - bits / 2;
    }

    private static int length(Random random)
    {
        return MIN_LENGTH + random.nextInt(MAX_LENGTH - MIN_LENGTH);
    }

    private static String letters(Random random)
    {
        StringBuilder text = new StringBuilder();
        for (int i = length(random); i > 0; i--)
            text.append((char) ('a' + random.nextInt(26)));
        return text.toString();
    }

    private static ByteBuffer bytes(Random random, int length)
    {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return ByteBuffer.wrap(bytes);
    }

    private static ByteBuffer decimal(BigDecimal value)
    {
        byte[] unscaled = value.unscaledValue().toByteArray();
        ByteBuffer bytes = ByteBuffer.allocate(4 + unscaled.length).putInt(value.scale()).put(unscaled);
        bytes.flip();
        return bytes;
    }

    private static ByteBuffer uuid(Random random, int version)
    {
        ByteBuffer bytes = bytes(random, 16);
        bytes.put(6, (byte) (bytes.get(6) & 0x0F | version << 4));
        bytes.put(8, (byte) (bytes.get(8) & 0x3F | 0x80));
        return bytes;
    }
}
