/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.node;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One of the engine's reports: rows of named values. The engine writes it as lines of tab-separated values, the first
 * line being the column names. Immutable.
 */
public final class StoreReport
{
    private static final StoreReport EMPTY = new StoreReport(List.of(), List.of());

    public final List<String> columns;
    /** One map from column name to value per row, in the order of the report. */
    public final List<Map<String, String>> rows;

    private StoreReport(List<String> columns, List<Map<String, String>> rows)
    {
        this.columns = columns;
        this.rows = rows;
    }

    /** @throws IllegalArgumentException if a row has another number of values than there are columns */
    public static StoreReport parse(String text)
    {
        if (text.isEmpty())
            return EMPTY;

        String[] lines = text.split("\n");
        List<String> columns = List.of(lines[0].split("\t", -1));
        List<Map<String, String>> rows = new ArrayList<>(lines.length - 1);
        for (String line : Arrays.asList(lines).subList(1, lines.length))
            if (!line.isEmpty())
                rows.add(row(columns, line));
        return new StoreReport(columns, Collections.unmodifiableList(rows));
    }

    private static Map<String, String> row(List<String> columns, String line)
    {
        String[] values = line.split("\t", -1);
        if (values.length != columns.size())
            throw new IllegalArgumentException("the engine's report has " + columns.size() + " columns, but a row has " +
                                               values.length + " values: " + line);
        Map<String, String> row = new LinkedHashMap<>();
        for (int i = 0; i < values.length; i++)
            row.put(columns.get(i), values[i]);
        return Collections.unmodifiableMap(row);
    }
}
