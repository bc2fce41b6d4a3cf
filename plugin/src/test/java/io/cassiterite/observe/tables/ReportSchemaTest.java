/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe.tables;

import java.util.List;

import org.junit.jupiter.api.Test;

import org.apache.cassandra.db.marshal.DoubleType;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.marshal.LongType;
import org.apache.cassandra.db.marshal.UTF8Type;

import io.cassiterite.move.MoveReport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

class ReportSchemaTest
{
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
    void reasonsAreText()
    {
        ReportSchema schema = new ReportSchema("moves", List.of(MoveReport.of().lines().findFirst().orElseThrow().split("\t")));
        for (String column : List.of("direction", "waits_for", "last_error"))
            assertSame(UTF8Type.instance, schema.type(column), column);
        assertSame(LongType.instance, schema.type("seconds_left"));
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
}
