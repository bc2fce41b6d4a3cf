/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.lifecycle;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.schema.Schema;
import org.apache.cassandra.schema.TableId;

import io.cassiterite.memtable.EngineTables;
import io.cassiterite.node.EngineControl;
import io.cassiterite.node.StoreReport;

/**
 * Tables that the store has and the schema has not: their DROP was cut short by a crash, or the schema was lost.
 * Nothing here tells which, so they are kept, and logged.
 */
final class UnknownTables
{
    private static final Logger logger = LoggerFactory.getLogger(UnknownTables.class);

    private UnknownTables()
    {
    }

    /** Logs them; to be called when the node has started and has opened the tables of the schema. */
    static void report(EngineControl engine)
    {
        for (String table : find(StoreReport.parse(engine.report("tables")), UnknownTables::isKnown))
            logger.warn("Cassiterite keeps {}, which is not in the schema: a DROP was cut short, or the schema was lost. To see "
                        + "the rows or to free the space create a table with this id: it starts empty, and the rows go into "
                        + "a snapshot of it.", table);
    }

    private static boolean isKnown(String id)
    {
        TableId table = TableId.fromString(id);
        return Schema.instance.getTableMetadata(table) != null || EngineTables.find(table) != null;
    }

    /** @return the unknown tables with their sizes, for people */
    static List<String> find(StoreReport tables, Predicate<String> isKnown)
    {
        List<String> unknown = new ArrayList<>();
        for (Map<String, String> row : tables.rows)
            if (!isKnown.test(row.get("table_id")))
                unknown.add(String.format("the table %s.%s with the id %s and %s bytes in files", row.get("keyspace_name"),
                                          row.get("table_name"), row.get("table_id"), row.get("sst_bytes")));
        return unknown;
    }
}
