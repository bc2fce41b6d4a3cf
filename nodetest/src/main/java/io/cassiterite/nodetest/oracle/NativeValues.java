/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;

/**
 * CQL literals of every native type: few, so that random statements use the same values again, with the ends of each
 * type's range. Every value is written in one way only (no decimal 1.0 beside 1.00).
 */
final class NativeValues
{
    /**
     * Equal values are written in one way, because of equal keys Cassandra keeps the bytes of the first: NaN has a sign
     * in all floats.
     */
    private static final Map<String, String[]> POOLS = new LinkedHashMap<>();

    static
    {
        POOLS.put("ascii", new String[]{ "'a'", "'b'", "'ab'", "''", "'~'", "'A longer ascii value'" });
        POOLS.put("bigint", new String[]{ "0", "1", "-1", "7", "9223372036854775807", "-9223372036854775808" });
        POOLS.put("blob", new String[]{ "0x", "0x00", "0x0000", "0x01", "0xff", "0x00ff00", "0x0001fe" });
        POOLS.put("boolean", new String[]{ "true", "false" });
        POOLS.put("date", new String[]{ "'1970-01-01'", "'2024-02-29'", "'1969-12-31'", "'0001-01-01'", "'2262-04-11'" });
        POOLS.put("decimal", new String[]{ "0", "1", "-1", "1.5", "-2.75", "1E100", "-1E-100", "123456789012345678901.5" });
        POOLS.put("double", new String[]{ "0", "-0.0", "1.5", "-1.5", "NaN", "Infinity", "-Infinity", "4.9E-324" });
        POOLS.put("duration", new String[]{ "1mo", "-1d", "3h20m", "1y2mo3d4h", "P1W", "0s" });
        POOLS.put("float", new String[]{ "0", "-0.0", "1.5", "-1.5", "blob_as_float(0xffc00000)", "Infinity", "-Infinity",
                                         "1.4E-45" });
        POOLS.put("inet", new String[]{ "'127.0.0.1'", "'0.0.0.0'", "'255.255.255.255'", "'::1'", "'2001:db8::7'" });
        POOLS.put("int", new String[]{ "0", "1", "-1", "2", "7", "2147483647", "-2147483648" });
        POOLS.put("smallint", new String[]{ "0", "1", "-1", "32767", "-32768" });
        POOLS.put("text", new String[]{ "'a'", "'b'", "''", "'ab'", "'\u00e9'", "'\u6f22'", "'it''s'", "'a longer text value'" });
        POOLS.put("time", new String[]{ "'00:00:00'", "'12:34:56.789'", "'23:59:59.999999999'" });
        POOLS.put("timestamp", new String[]{ "0", "1", "-1", "'2024-02-29T12:00:00Z'", "253402300799999" });
        POOLS.put("timeuuid", new String[]{ "50554d6e-29bb-11e5-b345-feff819cdc9f", "50554d6e-29bb-11e5-b345-feff819cdc9e",
                                            "00000000-0000-1000-8080-808080808080", "ffffffff-ffff-1fff-bf7f-7f7f7f7f7f7f" });
        POOLS.put("tinyint", new String[]{ "0", "1", "-1", "127", "-128" });
        POOLS.put("uuid", new String[]{ "00000000-0000-0000-0000-000000000000", "50554d6e-29bb-11e5-b345-feff819cdc9f",
                                        "7b0fa8b5-7d7c-4c5c-9b7c-1c2d3e4f5a6b", "ffffffff-ffff-4fff-bfff-ffffffffffff" });
        POOLS.put("varint", new String[]{ "0", "1", "-1", "127", "128", "-129", "123456789012345678901234567890" });
    }

    private NativeValues()
    {
    }

    static String[] typeNames()
    {
        return POOLS.keySet().toArray(new String[0]);
    }

    static String literal(String type, Random random)
    {
        String[] pool = POOLS.get(type);
        return pool[random.nextInt(pool.length)];
    }

    /** @return whether the type allows the empty value, which its own literals cannot write */
    private static boolean hasEmptyFunction(String type)
    {
        switch (type)
        {
            case "bigint": case "boolean": case "decimal": case "double": case "float": case "inet":
            case "int": case "timestamp": case "timeuuid": case "uuid": case "varint":
                return true;
            default:
                return false;
        }
    }

    /** @return a literal; sometimes the empty value, if the type has it */
    static String literalOrEmpty(String type, Random random, int oneIn)
    {
        return hasEmptyFunction(type) && random.nextInt(oneIn) == 0 ? emptyExpression(type) : literal(type, random);
    }

    /** @return an expression for the empty value */
    private static String emptyExpression(String type)
    {
        return "blob_as_" + type + "(0x)";
    }
}
