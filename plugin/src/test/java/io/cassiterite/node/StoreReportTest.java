/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.node;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

class StoreReportTest
{
    @Test
    void rowsAreMapsByColumn()
    {
        StoreReport report = StoreReport.parse("name\tvalue\nblock_size\t8KiB\nwal_directory\t\n");
        assertEquals(List.of("name", "value"), report.columns);
        assertEquals(List.of(Map.of("name", "block_size", "value", "8KiB"),
                             Map.of("name", "wal_directory", "value", "")), report.rows);
    }

    @Test
    void headerAloneIsAnEmptyReport()
    {
        assertEquals(List.of(), StoreReport.parse("name\tvalue\n").rows);
    }

    @Test
    void shortRowIsNoticed()
    {
        assertThrows(IllegalArgumentException.class, () -> StoreReport.parse("name\tvalue\nalone\n"));
    }
}
