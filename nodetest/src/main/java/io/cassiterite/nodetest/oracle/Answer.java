/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** What one statement answered on one table: pages of rows as raw bytes, or an error; and the warnings. */
final class Answer
{
    static final class Page
    {
        final List<byte[][]> rows = new ArrayList<>();
        /** Null where there is no further page. */
        byte[] pagingState;
    }

    final List<String> columns = new ArrayList<>();
    final List<String> types = new ArrayList<>();
    final List<Page> pages = new ArrayList<>();
    final List<String> warnings = new ArrayList<>();
    /** Class and message of the error, table names taken out; null if none. */
    String error;
    /** True if the node could not be reached: the error is no answer. */
    boolean unreachable;

    int rowCount()
    {
        return pages.stream().mapToInt(p -> p.rows.size()).sum();
    }

    /** Drops all columns but the first ones, and returns this. */
    Answer keepColumns(int count)
    {
        columns.subList(count, columns.size()).clear();
        types.subList(count, types.size()).clear();
        pages.forEach(page -> page.rows.replaceAll(row -> Arrays.copyOf(row, count)));
        return this;
    }

    /** @return a short text for reports */
    String describe()
    {
        if (error != null)
            return "error: " + error;
        StringBuilder text = new StringBuilder(columns.toString());
        for (Page page : pages)
        {
            for (byte[][] row : page.rows)
                text.append("\n    ").append(Arrays.stream(row).map(Answer::hex).collect(Collectors.joining(" | ")));
            text.append("\n    -- page ends, ").append(page.pagingState == null ? "no more" : "more: " + hex(page.pagingState));
        }
        if (!warnings.isEmpty())
            text.append("\n    warnings: ").append(warnings);
        return text.toString();
    }

    static String hex(byte[] bytes)
    {
        if (bytes == null)
            return "null";
        StringBuilder text = new StringBuilder("0x");
        for (byte b : bytes)
            text.append(String.format("%02x", b));
        return text.toString();
    }
}
