/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A type of a random table, with random values of it as the protocol has them. Immutable. */
final class CqlType
{
    enum Kind
    {
        NATIVE, COUNTER, LIST, SET, MAP, TUPLE, UDT, VECTOR
    }

    private static final int LARGE_BLOB_BYTES = 200_000;

    final Kind kind;
    /** Of native and user types. */
    final String name;
    final boolean frozen;
    final List<CqlType> parts;
    /** Of a user type; there may be more parts, whose fields were added later. */
    final List<String> fields;

    CqlType(Kind kind, String name, boolean frozen, List<CqlType> parts, List<String> fields)
    {
        this.kind = kind;
        this.name = name;
        this.frozen = frozen;
        this.parts = parts;
        this.fields = fields;
    }

    static CqlType nativeType(String name)
    {
        return new CqlType(Kind.NATIVE, name, true, List.of(), List.of());
    }

    static CqlType counter()
    {
        return new CqlType(Kind.COUNTER, "counter", true, List.of(), List.of());
    }

    /** @return a type for a key: mostly one that the door knows */
    static CqlType key(Random random, List<CqlType> userTypes)
    {
        if (random.nextInt(20) > 0)
            return nativeType(NativeBytes.KEY_TYPES.get(random.nextInt(NativeBytes.KEY_TYPES.size())));
        return composed(random, true, userTypes);
    }

    static CqlType cell(Random random, List<CqlType> userTypes)
    {
        List<String> names = NativeBytes.typeNames();
        if (random.nextInt(5) > 1)
            return nativeType(names.get(random.nextInt(names.size())));
        return composed(random, random.nextBoolean(), userTypes);
    }

    private static CqlType composed(Random random, boolean frozen, List<CqlType> userTypes)
    {
        CqlType first = key(random, List.of());
        CqlType second = key(random, List.of());
        switch (random.nextInt(6))
        {
            case 0:
                return new CqlType(Kind.LIST, null, frozen, List.of(first.asFrozen()), List.of());
            case 1:
                return new CqlType(Kind.SET, null, frozen, List.of(first.asFrozen()), List.of());
            case 2:
                return new CqlType(Kind.MAP, null, frozen, List.of(first.asFrozen(), second.asFrozen()), List.of());
            case 3:
                return new CqlType(Kind.TUPLE, null, true, List.of(first, second), List.of());
            case 4:
                return new CqlType(Kind.VECTOR, "vector<float, 2>", true, List.of(nativeType("float"), nativeType("float")), List.of());
            default:
                if (userTypes.isEmpty())
                    return nativeType("int");
                CqlType type = userTypes.get(random.nextInt(userTypes.size()));
                return new CqlType(Kind.UDT, type.name, frozen, type.parts, type.fields);
        }
    }

    private CqlType asFrozen()
    {
        return frozen ? this : new CqlType(kind, name, true, parts, fields);
    }

    boolean isMultiCell()
    {
        return !frozen;
    }

    /** @return as a schema writes it */
    String cql()
    {
        switch (kind)
        {
            case LIST:
                return frozen("list<" + parts.get(0).cql() + '>');
            case SET:
                return frozen("set<" + parts.get(0).cql() + '>');
            case MAP:
                return frozen("map<" + parts.get(0).cql() + ", " + parts.get(1).cql() + '>');
            case TUPLE:
                return "tuple<" + parts.get(0).cql() + ", " + parts.get(1).cql() + '>';
            case UDT:
                return frozen(name);
            default:
                return name;
        }
    }

    private String frozen(String inner)
    {
        return frozen ? "frozen<" + inner + '>' : inner;
    }

    byte[] value(Random random)
    {
        switch (kind)
        {
            case NATIVE:
                return name.equals("blob") && random.nextInt(200) == 0 ? large(random) : NativeBytes.value(name, random);
            case COUNTER:
                return ByteBuffer.allocate(Long.BYTES).putLong(random.nextInt(10) - 3).array();
            case LIST:
            case SET:
                return counted(random.nextInt(4), List.of(parts.get(0)), random);
            case MAP:
                return counted(random.nextInt(4), parts, random);
            case TUPLE:
            case UDT:
                return fields(random);
            case VECTOR:
                return ByteBuffer.allocate(2 * Float.BYTES).putFloat(random.nextInt(3)).putFloat(1.5f).array();
            default:
                throw new AssertionError(kind);
        }
    }

    private static byte[] large(Random random)
    {
        byte[] bytes = new byte[1 + random.nextInt(LARGE_BLOB_BYTES)];
        if (random.nextBoolean())
            random.nextBytes(bytes);
        return bytes;
    }

    /** A blob of some hundred kilobytes is too much where values are many. */
    private byte[] small(Random random)
    {
        return kind == Kind.NATIVE ? NativeBytes.value(name, random) : value(random);
    }

    /** A count below zero passes Cassandra's checks where the column is in descending order, or the collection in a tuple. */
    private static byte[] counted(int count, List<CqlType> types, Random random)
    {
        if (random.nextInt(12) == 0)
            return new Body().i32(-1 - random.nextInt(2)).bytes();
        Body body = new Body().i32(count);
        for (int i = 0; i < count; i++)
            for (CqlType type : types)
                body.value(type.small(random));
        return body.bytes();
    }

    private byte[] fields(Random random)
    {
        Body body = new Body();
        for (CqlType part : parts)
            body.value(random.nextInt(8) == 0 ? null : part.small(random));
        return body.bytes();
    }

    /** @return different values, for a key */
    List<byte[]> several(int count, Random random)
    {
        List<byte[]> values = new ArrayList<>();
        for (int i = 0; i < count; i++)
            values.add(small(random));
        return values;
    }
}
