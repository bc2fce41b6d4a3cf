/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.recipe;

import java.util.Map;

import org.apache.cassandra.db.marshal.AbstractType;
import org.apache.cassandra.db.marshal.AsciiType;
import org.apache.cassandra.db.marshal.BooleanType;
import org.apache.cassandra.db.marshal.ByteType;
import org.apache.cassandra.db.marshal.BytesType;
import org.apache.cassandra.db.marshal.DecimalType;
import org.apache.cassandra.db.marshal.DoubleType;
import org.apache.cassandra.db.marshal.FloatType;
import org.apache.cassandra.db.marshal.InetAddressType;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.marshal.IntegerType;
import org.apache.cassandra.db.marshal.LongType;
import org.apache.cassandra.db.marshal.ShortType;
import org.apache.cassandra.db.marshal.SimpleDateType;
import org.apache.cassandra.db.marshal.TimeType;
import org.apache.cassandra.db.marshal.TimeUUIDType;
import org.apache.cassandra.db.marshal.TimestampType;
import org.apache.cassandra.db.marshal.UTF8Type;
import org.apache.cassandra.db.marshal.UUIDType;

/** The types of key columns that the door can check and order, by their ids in the native protocol. */
final class KeyTypes
{
    static final byte ASCII = 0x01;
    static final byte BIGINT = 0x02;
    static final byte BLOB = 0x03;
    static final byte BOOLEAN = 0x04;
    static final byte DECIMAL = 0x06;
    static final byte DOUBLE = 0x07;
    static final byte FLOAT = 0x08;
    static final byte INT = 0x09;
    static final byte TIMESTAMP = 0x0B;
    static final byte UUID = 0x0C;
    static final byte TEXT = 0x0D;
    static final byte VARINT = 0x0E;
    static final byte TIMEUUID = 0x0F;
    static final byte INET = 0x10;
    static final byte DATE = 0x11;
    static final byte TIME = 0x12;
    static final byte SMALLINT = 0x13;
    static final byte TINYINT = 0x14;

    private static final Map<AbstractType<?>, Byte> CODES = Map.ofEntries(
        Map.entry(AsciiType.instance, ASCII),
        Map.entry(LongType.instance, BIGINT),
        Map.entry(BytesType.instance, BLOB),
        Map.entry(BooleanType.instance, BOOLEAN),
        Map.entry(DecimalType.instance, DECIMAL),
        Map.entry(DoubleType.instance, DOUBLE),
        Map.entry(FloatType.instance, FLOAT),
        Map.entry(Int32Type.instance, INT),
        Map.entry(TimestampType.instance, TIMESTAMP),
        Map.entry(UUIDType.instance, UUID),
        Map.entry(UTF8Type.instance, TEXT),
        Map.entry(IntegerType.instance, VARINT),
        Map.entry(TimeUUIDType.instance, TIMEUUID),
        Map.entry(InetAddressType.instance, INET),
        Map.entry(SimpleDateType.instance, DATE),
        Map.entry(TimeType.instance, TIME),
        Map.entry(ShortType.instance, SMALLINT),
        Map.entry(ByteType.instance, TINYINT));

    private KeyTypes()
    {
    }

    /** @return the code of a type, in whatever order it sorts; refuses for {@code otherwise} if it has none */
    static byte code(AbstractType<?> type, RecipeRefusal otherwise)
    {
        Byte code = CODES.get(type.unwrap());
        if (code == null)
            throw new RefusedException(otherwise);
        return code;
    }

    /** Whether an empty value is one like others, which the door can order. */
    static boolean isText(byte code)
    {
        return code == ASCII || code == TEXT || code == BLOB;
    }
}
