/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe.tables;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class TablesReportTest
{
    private static final int TERMINAL_CHARACTERS = 120;
    private static final int BETWEEN_COLUMNS = 3;

    @Test
    void eachTableFitsATerminal()
    {
        for (TablesReport part : TablesReport.values())
        {
            int width = part.columns().stream().mapToInt(column -> column.length() + BETWEEN_COLUMNS).sum();
            boolean hasId = part.columns().contains("table_id");
            assertTrue(hasId || width <= TERMINAL_CHARACTERS, () -> part.table + " is " + width + " characters wide");
        }
    }

    @Test
    void noColumnOfTheReportIsLost()
    {
        List<String> all = Arrays.stream(TablesReport.values()).flatMap(part -> part.columns().stream()).distinct()
                                 .collect(Collectors.toList());
        TablesReport.checkWhole(all);
        List<String> more = new ArrayList<>(all);
        more.add("fresh");
        assertThrows(IllegalStateException.class, () -> TablesReport.checkWhole(more));
        assertThrows(IllegalStateException.class, () -> TablesReport.checkWhole(all.subList(1, all.size())));
        assertEquals("keyspace_name", all.get(0));
    }
}
