/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.UUID;

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
import org.apache.cassandra.db.marshal.ListType;
import org.apache.cassandra.db.marshal.LongType;
import org.apache.cassandra.db.marshal.MapType;
import org.apache.cassandra.db.marshal.SetType;
import org.apache.cassandra.db.marshal.ShortType;
import org.apache.cassandra.db.marshal.SimpleDateType;
import org.apache.cassandra.db.marshal.TimeType;
import org.apache.cassandra.db.marshal.TimeUUIDType;
import org.apache.cassandra.db.marshal.TimestampType;
import org.apache.cassandra.db.marshal.TupleType;
import org.apache.cassandra.db.marshal.UTF8Type;
import org.apache.cassandra.db.marshal.UUIDType;
import org.apache.cassandra.db.marshal.VectorType;
import org.apache.cassandra.serializers.CollectionSerializer;
import org.apache.cassandra.utils.ByteBufferUtil;
import org.apache.cassandra.utils.TimeUUID;

/**
 * Random values of every type. They are few and short, so that equal ones are common. Some are such as pass Cassandra's
 * checks and no driver writes: a collection with a count below zero, a varint behind sign bytes.
 */
final class RandomValue
{
    /** Not a number, in the bits of clients in other languages; the upper halves are so as floats. */
    private static final long[] ODD_NAN = { 0x7ff8000000000000L, 0x7ff8000100000001L, 0xfff8000000000000L };

    private RandomValue()
    {
    }

    /** A value; sometimes empty, where the type has empty values. */
    static ByteBuffer value(Random random, AbstractType<?> given)
    {
        return value(random, given, false);
    }

    /** @param canonical whether values that are equal have the same bytes, within collections and tuples, too */
    static ByteBuffer value(Random random, AbstractType<?> given, boolean canonical)
    {
        AbstractType<?> type = given.unwrap();
        return isEmpty(random, 12, type) ? ByteBufferUtil.EMPTY_BYTE_BUFFER : nonEmpty(random, type, canonical);
    }

    private static boolean isEmpty(Random random, int oneIn, AbstractType<?> type)
    {
        return random.nextInt(oneIn) == 0 && type.allowsEmpty();
    }

    private static ByteBuffer nonEmpty(Random random, AbstractType<?> type, boolean canonical)
    {
        if (type.isCollection() && random.nextInt(12) == 0)
            return ByteBufferUtil.bytes(random.nextInt(2) == 0 ? -1 : Integer.MIN_VALUE + random.nextInt(2));
        if (type instanceof ListType)
            return pack(values(random, ((ListType<?>) type).getElementsType(), false, canonical), 1);
        if (type instanceof SetType)
            return pack(values(random, ((SetType<?>) type).getElementsType(), true, canonical), 1);
        if (type instanceof MapType)
            return map(random, (MapType<?, ?>) type, canonical);
        if (type instanceof TupleType)
            return tuple(random, (TupleType) type, canonical);
        if (type instanceof VectorType)
            return vector(random, (VectorType<?>) type, canonical);
        return nativeValue(random, type, canonical);
    }

    private static ByteBuffer pack(List<ByteBuffer> values, int perElement)
    {
        return CollectionSerializer.pack(values, values.size() / perElement);
    }

    private static List<ByteBuffer> values(Random random, AbstractType<?> type, boolean sorted, boolean canonical)
    {
        List<ByteBuffer> values = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--)
        {
            ByteBuffer value = part(random, type, canonical);
            if (!sorted || values.stream().noneMatch(v -> type.compare(v, value) == 0))
                values.add(value);
        }
        if (sorted)
            Collections.sort(values, type);
        return values;
    }

    private static ByteBuffer map(Random random, MapType<?, ?> type, boolean canonical)
    {
        List<ByteBuffer> entries = new ArrayList<>();
        for (ByteBuffer key : values(random, type.getKeysType(), true, canonical))
        {
            entries.add(key);
            entries.add(part(random, type.getValuesType(), canonical));
        }
        return pack(entries, 2);
    }

    private static ByteBuffer tuple(Random random, TupleType type, boolean canonical)
    {
        List<ByteBuffer> fields = new ArrayList<>();
        for (AbstractType<?> field : type.allTypes())
            fields.add(random.nextInt(5) == 0 ? null : part(random, field, canonical));
        return TupleType.buildValue(fields.toArray(new ByteBuffer[0]));
    }

    private static ByteBuffer vector(Random random, VectorType<?> type, boolean canonical)
    {
        List<ByteBuffer> elements = new ArrayList<>();
        for (int i = 0; i < type.dimension; i++)
            elements.add(nonEmpty(random, type.elementType, canonical));
        return type.decomposeRaw(elements);
    }

    /** A field or element; sometimes empty. */
    private static ByteBuffer part(Random random, AbstractType<?> type, boolean canonical)
    {
        return isEmpty(random, 6, type) ? ByteBufferUtil.EMPTY_BYTE_BUFFER : nonEmpty(random, type, canonical);
    }

    static ByteBuffer nativeValue(Random random, AbstractType<?> type, boolean canonical)
    {
        ByteBuffer value = nativeValue(random, type);
        if (canonical && type == FloatType.instance && FloatType.instance.compose(value).isNaN())
            return FloatType.instance.decompose(Float.NaN);
        if (canonical && type == DoubleType.instance && DoubleType.instance.compose(value).isNaN())
            return DoubleType.instance.decompose(Double.NaN);
        if (canonical && type == IntegerType.instance)
            return IntegerType.instance.decompose(IntegerType.instance.compose(value));
        if (canonical && type == DecimalType.instance)
            return DecimalType.instance.decompose(DecimalType.instance.compose(value).stripTrailingZeros());
        return value;
    }

    static ByteBuffer nativeValue(Random random, AbstractType<?> type)
    {
        if (type == UTF8Type.instance || type == AsciiType.instance || type == BytesType.instance)
            return ByteBuffer.wrap(bytes(random, type == BytesType.instance));
        if (type == Int32Type.instance)
            return Int32Type.instance.decompose((int) number(random));
        if (type == LongType.instance)
            return LongType.instance.decompose(number(random));
        if (type == ShortType.instance)
            return ShortType.instance.decompose((short) number(random));
        if (type == ByteType.instance)
            return ByteType.instance.decompose((byte) number(random));
        if (type == IntegerType.instance)
            return random.nextInt(6) == 0 ? signBytes(random, new byte[]{ 0, 0, (byte) random.nextInt(4) })
                                          : IntegerType.instance.decompose(BigInteger.valueOf(number(random)).pow(1 + random.nextInt(2)));
        if (type == DecimalType.instance)
            return DecimalType.instance.decompose(new BigDecimal(BigInteger.valueOf(number(random)), random.nextInt(5) - 2));
        if (type == FloatType.instance)
            return random.nextInt(6) == 0 ? ByteBufferUtil.bytes((int) (ODD_NAN[random.nextInt(3)] >> 32))
                                          : FloatType.instance.decompose(number(random) / 3f);
        if (type == DoubleType.instance)
            return random.nextInt(6) == 0 ? ByteBufferUtil.bytes(ODD_NAN[random.nextInt(3)])
                                          : DoubleType.instance.decompose(number(random) / 3d);
        if (type == BooleanType.instance)
            return BooleanType.instance.decompose(random.nextBoolean());
        if (type == TimestampType.instance)
            return ByteBufferUtil.bytes(number(random));
        if (type == SimpleDateType.instance)
            return ByteBufferUtil.bytes((int) number(random));
        if (type == TimeType.instance)
            return ByteBufferUtil.bytes(Math.abs(number(random) % 86_400_000_000_000L));
        if (type == UUIDType.instance)
            return random.nextBoolean() ? UUIDType.instance.decompose(new UUID(number(random), number(random))) : timeUuid(random);
        if (type == TimeUUIDType.instance)
            return timeUuid(random);
        if (type == InetAddressType.instance)
            return InetAddressType.instance.decompose(address(random));
        throw new AssertionError(type);
    }

    /** More than a form of Cassandra's takes, now and then. */
    private static ByteBuffer signBytes(Random random, byte[] number)
    {
        byte[] longer = new byte[number.length + (random.nextBoolean() ? random.nextInt(9) : 0)];
        System.arraycopy(number, 0, longer, longer.length - number.length, number.length);
        return ByteBuffer.wrap(longer);
    }

    private static ByteBuffer timeUuid(Random random)
    {
        return TimeUUID.atUnixMicrosWithLsb(1_000_000 + random.nextInt(20), random.nextInt(8) - 4).toBytes();
    }

    private static InetAddress address(Random random)
    {
        byte[] bytes = new byte[random.nextBoolean() ? 4 : 16];
        bytes[bytes.length - 1] = (byte) random.nextInt(5);
        bytes[0] = (byte) (random.nextInt(5) * 60);
        try
        {
            return InetAddress.getByAddress(bytes);
        }
        catch (UnknownHostException e)
        {
            throw new AssertionError(e);
        }
    }

    private static long number(Random random)
    {
        switch (random.nextInt(4))
        {
            case 0: return random.nextLong();
            case 1: return 1L << random.nextInt(64);
            case 2: return -(1L << random.nextInt(63));
            default: return random.nextInt(7) - 3;
        }
    }

    private static byte[] bytes(Random random, boolean any)
    {
        byte[] bytes = new byte[random.nextInt(5)];
        for (int i = 0; i < bytes.length; i++)
            bytes[i] = (byte) (random.nextInt(3) == 0 ? 0
                               : any && random.nextInt(3) == 0 ? 0xFD + random.nextInt(3) : 'a' + random.nextInt(3));
        return bytes;
    }
}
