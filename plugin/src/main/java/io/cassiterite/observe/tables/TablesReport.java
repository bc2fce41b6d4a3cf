/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe.tables;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.apache.cassandra.db.virtual.VirtualTable;

import io.cassiterite.node.EngineControl;
import io.cassiterite.node.StoreReport;

/** The engine's report of its tables as several virtual tables, each of which fits a terminal. */
enum TablesReport
{
    TABLES("tables", "engine tables and their indexes: keys and bytes", "keys_estimated", "memtable_bytes", "sst_bytes"),
    LOAD("table_load", "writes and reads since the start", "writes", "reads", "written_bytes"),
    FILES("table_files", "files, and memtables that wait for their flush",
          "sst_files", "level0_files", "sealed_memtables", "side_family_bytes"),
    COMPACTION("table_compaction", "whether the engine compacts a table, and how far it is behind",
               "automatic_compaction", "pending_compaction_bytes", "merge_failures"),
    REWRITTEN("table_rewritten", "what flushes and compactions have written since the start",
              "flushes", "flushed_bytes", "compaction_written_bytes"),
    PURGED("table_purged", "what compactions have removed since the start", "fragments_purged", "purged_bytes"),
    STATE("table_state", "the present generation of a table",
          "table_id", "generation", "partitions_estimated", "never_written", "smallest_timestamp");

    private static final String TOPIC = "tables";

    final String table;
    private final String comment;
    private final List<String> columns;

    TablesReport(String table, String comment, String... figures)
    {
        this.table = table;
        this.comment = comment;
        this.columns = new ArrayList<>(List.of("keyspace_name", "table_name", "index_name"));
        columns.addAll(List.of(figures));
    }

    List<String> columns()
    {
        return columns;
    }

    /** @throws IllegalStateException if a column of the report would be in no table, or is missing in it */
    static List<VirtualTable> tables(String keyspace, EngineControl engine)
    {
        checkWhole(StoreReport.parse(engine.report(TOPIC)).columns);
        List<VirtualTable> tables = new ArrayList<>();
        for (TablesReport part : values())
            tables.add(new ReportTable(keyspace, part.comment, new ReportSchema(part.table, part.columns),
                                       () -> StoreReport.parse(engine.report(TOPIC))));
        return tables;
    }

    static void checkWhole(List<String> reported)
    {
        Set<String> shown = new HashSet<>();
        for (TablesReport part : values())
            shown.addAll(part.columns);
        if (!shown.equals(new HashSet<>(reported)))
            throw new IllegalStateException("the report of tables has " + reported + ", the virtual tables have " + shown);
    }
}
