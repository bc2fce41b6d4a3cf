/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.function.Supplier;

/** A statement with its variables, and the ids under which the node knows it. One thread. */
final class Statement
{
    private final StringBuilder cql = new StringBuilder();
    /** Names of the variables, lower case; the name that the statement itself gives, or that of its column. */
    final List<String> names = new ArrayList<>();
    private final List<Function<Random, byte[]>> values = new ArrayList<>();
    private final boolean named;
    private final int oneInConstant;
    private final Random random;
    /** Whether it does again what it has done when it is repeated with the same timestamp. */
    boolean repeatable = true;
    /** Whether values may be null: a range deletion with a null bound is never answered. */
    boolean takesNull = true;
    /** Whether it names its table without the keyspace. */
    boolean unqualified;
    /** Null while it is not prepared. */
    byte[] id;
    /** Of its result's metadata, as version 5 has it; null while unknown. */
    byte[] metadataId;
    byte[] formerMetadataId;

    /** @param random decides how its variables are written, and which operands are constants */
    Statement(Random random)
    {
        this.random = random;
        named = random.nextInt(6) == 0;
        oneInConstant = random.nextBoolean() ? 4 : Integer.MAX_VALUE;
    }

    Statement add(String text)
    {
        cql.append(text);
        return this;
    }

    /** Adds a variable. */
    Statement variable(String name, Function<Random, byte[]> drawn)
    {
        values.add(drawn);
        if (named)
        {
            names.add("n" + names.size());
            return add(":" + names.get(names.size() - 1));
        }
        names.add(name.replace("\"", ""));
        return add("?");
    }

    /** Adds a value of a column: a variable, or now and then a constant. */
    Statement operand(Table.Column column)
    {
        return operand(column.name, column.type, () -> column.value(random), column::value);
    }

    private Statement operand(String name, CqlType type, Supplier<byte[]> constant, Function<Random, byte[]> drawn)
    {
        if (oneInConstant < Integer.MAX_VALUE && random.nextInt(oneInConstant) == 0 && type.kind == CqlType.Kind.NATIVE)
        {
            String literal = NativeBytes.literal(type.name, constant.get());
            if (literal != null && literal.length() < 100)
                return add(literal);
        }
        return variable(name, drawn);
    }

    String cql()
    {
        return cql.toString();
    }

    boolean isSelect()
    {
        return cql.indexOf("SELECT") == 0;
    }

    List<byte[]> draw(Random from)
    {
        List<byte[]> drawn = new ArrayList<>(values.size());
        for (Function<Random, byte[]> value : values)
            drawn.add(value.apply(from));
        return drawn;
    }

    /** @return whether all is known that an EXECUTE of this protocol version needs */
    boolean isPrepared(int version)
    {
        return id != null && (version < 5 || metadataId != null);
    }

    void prepared(byte[][] ids)
    {
        id = ids[0];
        if (ids[1] != null)
            metadataId(ids[1]);
    }

    void metadataId(byte[] now)
    {
        formerMetadataId = metadataId;
        metadataId = now;
    }
}
