/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Compares two answers cell by cell. What Cassandra itself leaves open, and is therefore not compared exactly:
 * <ul>
 * <li>WRITETIME of what the server's own clock stamped (lightweight transactions): the two tables are written one after
 *     the other. Both must lie in the clock's zone and within {@link #SERVER_STAMP_SLACK_MICROS} of each other.</li>
 * <li>The bits of a NaN that sum or avg computes, say from both infinities: they depend on how far the JVM has compiled.</li>
 * <li>The order of words in an error's message: some messages list columns in the order of a hash set.</li>
 * </ul>
 * Everything else, paging states included, must be the same bytes.
 */
final class Comparison
{
    static final long SERVER_STAMP_SLACK_MICROS = 10_000_000;
    private static final long CLOCK_MICROS_MIN = 1_500_000_000_000_000L;
    private static final long CLOCK_MICROS_MAX = 8_000_000_000_000_000L;

    private Comparison()
    {
    }

    /** @return a description of the difference, or null */
    static String difference(Answer stock, Answer engine)
    {
        if (!words(stock.error).equals(words(engine.error)))
            return "errors differ";
        if (stock.error != null)
            return null;
        if (!stock.columns.equals(engine.columns) || !stock.types.equals(engine.types))
            return "columns differ: " + stock.columns + ' ' + stock.types + " / " + engine.columns + ' ' + engine.types;
        if (!stock.warnings.equals(engine.warnings))
            return "warnings differ";
        if (stock.rowCount() != engine.rowCount())
            return "row counts differ: " + stock.rowCount() + " / " + engine.rowCount();
        if (stock.pages.size() != engine.pages.size())
            return "page counts differ: " + stock.pages.size() + " / " + engine.pages.size();
        for (int i = 0; i < stock.pages.size(); i++)
        {
            String difference = difference(stock, stock.pages.get(i), engine.pages.get(i));
            if (difference != null)
                return "page " + i + ": " + difference;
        }
        return null;
    }

    static List<String> words(String error)
    {
        return Arrays.stream(String.valueOf(error).split("[\\s,]+")).sorted().collect(Collectors.toList());
    }

    private static String difference(Answer answer, Answer.Page stock, Answer.Page engine)
    {
        if (stock.rows.size() != engine.rows.size())
            return "rows in page differ: " + stock.rows.size() + " / " + engine.rows.size();
        for (int row = 0; row < stock.rows.size(); row++)
            for (int column = 0; column < answer.columns.size(); column++)
            {
                byte[] left = stock.rows.get(row)[column];
                byte[] right = engine.rows.get(row)[column];
                if (!Arrays.equals(left, right) && !(answer.columns.get(column).contains("writetime(") && sameStamps(left, right))
                    && !(isComputed(answer.columns.get(column)) && isNotANumber(answer.types.get(column), left)
                         && isNotANumber(answer.types.get(column), right)))
                    return "row " + row + ", column " + answer.columns.get(column) + ": " + Answer.hex(left) + " / " + Answer.hex(right);
            }
        if (!Arrays.equals(stock.pagingState, engine.pagingState))
            return "paging states differ";
        return null;
    }

    private static boolean isComputed(String column)
    {
        return column.startsWith("system.sum(") || column.startsWith("system.avg(");
    }

    private static boolean isNotANumber(String type, byte[] value)
    {
        if (value == null)
            return false;
        return type.equals("double") && value.length == Double.BYTES && Double.isNaN(ByteBuffer.wrap(value).getDouble())
               || type.equals("float") && value.length == Float.BYTES && Float.isNaN(ByteBuffer.wrap(value).getFloat());
    }

    /** Stamps are one bigint, or a list of them for a collection of several cells. */
    private static boolean sameStamps(byte[] left, byte[] right)
    {
        if (left == null || right == null || left.length != right.length)
            return false;
        if (left.length == 8)
            return sameStamp(ByteBuffer.wrap(left).getLong(), ByteBuffer.wrap(right).getLong());
        ByteBuffer one = ByteBuffer.wrap(left);
        ByteBuffer other = ByteBuffer.wrap(right);
        int count = one.getInt();
        if (count != other.getInt())
            return false;
        for (int i = 0; i < count; i++)
        {
            int length = one.getInt();
            if (length != other.getInt())
                return false;
            if (length == 8 && !sameStamp(one.getLong(), other.getLong()))
                return false;
        }
        return true;
    }

    private static boolean sameStamp(long left, long right)
    {
        return left == right || (isClock(left) && isClock(right) && Math.abs(left - right) < SERVER_STAMP_SLACK_MICROS);
    }

    private static boolean isClock(long micros)
    {
        return micros > CLOCK_MICROS_MIN && micros < CLOCK_MICROS_MAX;
    }
}
