/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;

/** Rows as text, to compare and to show. */
public final class RowText
{
    private RowText()
    {
    }

    /** @return {@code k=1, v='x', w=null}: columns in the result's order, values as CQL literals */
    public static String readable(Row row)
    {
        return join(row, column -> literal(row, column));
    }

    /** @return {@code k=00000001, v=78, w=null}: columns in the result's order, values in hexadecimal as they came */
    public static String exact(Row row)
    {
        return join(row, column -> hex(row.getBytesUnsafe(column)));
    }

    private static String join(Row row, IntFunction<String> value)
    {
        return IntStream.range(0, row.size())
                        .mapToObj(i -> row.getColumnDefinitions().get(i).getName().asInternal() + "=" + value.apply(i))
                        .collect(Collectors.joining(", "));
    }

    private static String literal(Row row, int column)
    {
        ByteBuffer bytes = row.getBytesUnsafe(column);
        DataType type = row.getType(column);
        if (bytes == null)
            return "null";
        // most types do not have the empty value, and the driver would show it as null or zero
        if (!bytes.hasRemaining() && !DataTypes.TEXT.equals(type) && !DataTypes.ASCII.equals(type)
            && !DataTypes.BLOB.equals(type))
            return "<empty>";
        return row.codecRegistry().codecFor(type).format(row.getObject(column));
    }

    private static String hex(ByteBuffer bytes)
    {
        if (bytes == null)
            return "null";
        byte[] copy = new byte[bytes.remaining()];
        bytes.duplicate().get(copy);
        return HexFormat.of().formatHex(copy);
    }
}
