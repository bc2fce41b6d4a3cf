/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;

/**
 * Values of every native type as the protocol has them: few, so that random requests meet the same ones again, with the
 * ends of each type's range and with values that are equal to Cassandra though their bytes differ.
 */
final class NativeBytes
{
    /** The types that a key may have: all but duration. */
    static final List<String> KEY_TYPES;

    private static final Map<String, List<byte[]>> POOLS = new LinkedHashMap<>();

    static
    {
        POOLS.put("ascii", texts("a", "b", "ab", "", "~", "A longer ascii value"));
        POOLS.put("bigint", longs(0, 1, -1, 7, Long.MAX_VALUE, Long.MIN_VALUE));
        POOLS.put("blob", raw("", "00", "0000", "01", "ff", "00ff00", "0001fe"));
        POOLS.put("boolean", raw("00", "01", "02"));
        POOLS.put("date", ints(1 << 31, 0, -1, 0x80004d2c));
        POOLS.put("decimal", decimals("0", "1", "1.0", "-1", "1.5", "1.50", "-2.75", "1E+100", "-1E-100", "123456789012345678901.5"));
        POOLS.put("double", doubles(0, -0.0, 1.5, -1.5, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, Double.MIN_VALUE));
        POOLS.get("double").addAll(raw("fff8000000000000"));
        POOLS.put("float", floats(0, -0.0f, 1.5f, -1.5f, Float.NaN, Float.POSITIVE_INFINITY, Float.MIN_VALUE));
        POOLS.get("float").addAll(raw("ffc00000"));
        POOLS.put("inet", raw("7f000001", "00000000", "ffffffff", "00000000000000000000000000000001", "00000000000000000000ffff7f000001"));
        POOLS.put("int", ints(0, 1, -1, 2, 7, Integer.MAX_VALUE, Integer.MIN_VALUE));
        POOLS.put("smallint", raw("0000", "0001", "ffff", "7fff", "8000"));
        POOLS.put("text", texts("a", "b", "", "ab", "\u00e9", "\u6f22", "it's", "a longer text value"));
        POOLS.put("time", longs(0, 45_296_789_000_000L, 86_399_999_999_999L));
        POOLS.put("timestamp", longs(0, 1, -1, 1_709_208_000_000L, 253_402_300_799_999L, Long.MIN_VALUE));
        POOLS.put("timeuuid", uuids("50554d6e-29bb-11e5-b345-feff819cdc9f", "50554d6e-29bb-11e5-b345-feff819cdc9e",
                                    "00000000-0000-1000-8080-808080808080", "ffffffff-ffff-1fff-bf7f-7f7f7f7f7f7f"));
        POOLS.put("tinyint", raw("00", "01", "ff", "7f", "80"));
        POOLS.put("uuid", uuids("00000000-0000-0000-0000-000000000000", "50554d6e-29bb-11e5-b345-feff819cdc9f",
                                "7b0fa8b5-7d7c-4c5c-9b7c-1c2d3e4f5a6b", "ffffffff-ffff-4fff-bfff-ffffffffffff"));
        POOLS.put("varint", varints("0", "1", "-1", "127", "128", "-129", "123456789012345678901234567890"));
        POOLS.get("varint").addAll(raw("0001", "ffff", "0000000000000000000001"));
        KEY_TYPES = List.copyOf(POOLS.keySet());
        POOLS.put("duration", raw("020000", "000100", "010101", "000002", "0c0610"));
    }

    private NativeBytes()
    {
    }

    static List<String> typeNames()
    {
        return new ArrayList<>(POOLS.keySet());
    }

    static List<byte[]> pool(String type)
    {
        return POOLS.get(type);
    }

    static byte[] value(String type, Random random)
    {
        List<byte[]> pool = POOLS.get(type);
        return pool.get(random.nextInt(pool.size()));
    }

    /** @return the value as CQL writes it; null where that is not simple */
    static String literal(String type, byte[] value)
    {
        ByteBuffer bytes = ByteBuffer.wrap(value);
        switch (type)
        {
            case "bigint":
                return Long.toString(bytes.getLong());
            case "int":
                return Integer.toString(bytes.getInt());
            case "smallint":
                return Short.toString(bytes.getShort());
            case "tinyint":
                return Byte.toString(bytes.get());
            case "blob":
                return Text.hex(value);
            case "uuid":
            case "timeuuid":
                return new UUID(bytes.getLong(), bytes.getLong()).toString();
            case "ascii":
            case "text":
                return '\'' + new String(value, StandardCharsets.UTF_8).replace("'", "''") + '\'';
            default:
                return null;
        }
    }

    private static List<byte[]> raw(String... hex)
    {
        List<byte[]> values = new ArrayList<>();
        for (String text : hex)
        {
            byte[] value = new byte[text.length() / 2];
            for (int i = 0; i < value.length; i++)
                value[i] = (byte) Integer.parseInt(text.substring(2 * i, 2 * i + 2), 16);
            values.add(value);
        }
        return values;
    }

    private static List<byte[]> texts(String... texts)
    {
        return new ArrayList<>(Arrays.stream(texts).map(text -> text.getBytes(StandardCharsets.UTF_8)).toList());
    }

    private static List<byte[]> longs(long... values)
    {
        return new ArrayList<>(Arrays.stream(values).mapToObj(value -> ByteBuffer.allocate(Long.BYTES).putLong(value).array()).toList());
    }

    private static List<byte[]> ints(int... values)
    {
        return new ArrayList<>(Arrays.stream(values).mapToObj(value -> ByteBuffer.allocate(Integer.BYTES).putInt(value).array()).toList());
    }

    private static List<byte[]> doubles(double... values)
    {
        return longs(Arrays.stream(values).mapToLong(Double::doubleToRawLongBits).toArray());
    }

    private static List<byte[]> floats(float... values)
    {
        int[] bits = new int[values.length];
        for (int i = 0; i < values.length; i++)
            bits[i] = Float.floatToRawIntBits(values[i]);
        return ints(bits);
    }

    private static List<byte[]> decimals(String... values)
    {
        List<byte[]> bytes = new ArrayList<>();
        for (String text : values)
        {
            BigDecimal value = new BigDecimal(text);
            byte[] unscaled = value.unscaledValue().toByteArray();
            bytes.add(ByteBuffer.allocate(Integer.BYTES + unscaled.length).putInt(value.scale()).put(unscaled).array());
        }
        return bytes;
    }

    private static List<byte[]> varints(String... values)
    {
        return new ArrayList<>(Arrays.stream(values).map(value -> new BigInteger(value).toByteArray()).toList());
    }

    private static List<byte[]> uuids(String... values)
    {
        return new ArrayList<>(Arrays.stream(values).map(UUID::fromString)
                                     .map(id -> ByteBuffer.allocate(16).putLong(id.getMostSignificantBits())
                                                          .putLong(id.getLeastSignificantBits()).array())
                                     .toList());
    }
}
