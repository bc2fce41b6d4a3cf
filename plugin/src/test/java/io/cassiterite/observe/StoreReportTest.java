/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import org.apache.cassandra.db.marshal.DoubleType;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.marshal.LongType;
import org.apache.cassandra.db.marshal.UTF8Type;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
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

    @Test
    void columnsGetTypesByName()
    {
        ReportSchema schema = new ReportSchema("levels", List.of("keyspace_name", "table_name", "level", "files", "hit_ratio"));
        assertEquals(List.of("keyspace_name", "table_name", "level"), schema.keys());
        assertEquals(List.of("files", "hit_ratio"), schema.figures());
        assertSame(UTF8Type.instance, schema.type("table_name"));
        assertSame(Int32Type.instance, schema.type("level"));
        assertSame(LongType.instance, schema.type("files"));
        assertSame(DoubleType.instance, schema.type("hit_ratio"));
    }

    @Test
    void settingsAreText()
    {
        assertSame(UTF8Type.instance, new ReportSchema("settings", List.of("name", "value", "live")).type("live"));
    }

    @Test
    void reportWithoutKeyIsRefused()
    {
        assertThrows(IllegalArgumentException.class, () -> new ReportSchema("stalls", List.of("count")));
    }

    @Test
    void metricNamesAreCamelCase()
    {
        assertEquals("UsedBytes", EngineMetrics.camelCase("used_bytes"));
    }
}
