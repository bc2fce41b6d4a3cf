/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe.tables;

import java.util.Map;
import java.util.function.Supplier;

import com.google.common.collect.ImmutableList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.db.virtual.VirtualKeyspace;
import org.apache.cassandra.db.virtual.VirtualKeyspaceRegistry;
import org.apache.cassandra.db.virtual.VirtualTable;
import org.apache.cassandra.schema.Schema;

import io.cassiterite.frontdoor.FrontDoor;
import io.cassiterite.move.Exports;
import io.cassiterite.move.MoveReport;
import io.cassiterite.node.EngineControl;
import io.cassiterite.node.StoreReport;
import io.cassiterite.stream.StreamHistory;

/** The virtual keyspace {@code cassiterite}: the engine's reports for cqlsh. */
public final class EngineKeyspace
{
    private static final Logger logger = LoggerFactory.getLogger(EngineKeyspace.class);

    public static final String NAME = "cassiterite";

    private static final Map<String, String> COMMENTS =
        Map.of("levels", "files and bytes per level of each table",
               "stalls", "how often writes were slowed down or stopped and background work failed, by cause; tables concerned now",
               "caches", "memory of the engine: used and limit; hits and misses of the block cache",
               "settings", "the engine's parameters: value in force, default, and whether they can be set while the node runs",
               "work", "flushes and compactions: running now; ended since the start, with bytes read and written",
               "compactions", "the compactions that run, and the latest that have ended");

    private static final String MOVES = "tables that have sstables beside the engine, and which way their rows move";
    private static final String EXPORTS = "tables that are, or were, written to sstables in a folder, since the start";
    private static final String STREAMS = "the latest shipments of engine tables: bytes sent as whole files and as rows, and why";
    private static final String DOOR = "what the front door has done since the start; all 0 while it has been off";
    private static final String GATES = "why the front door answers nothing itself, or nothing of a table";
    private static final String RECIPES = "prepared statements that the front door knows, and how many it has answered";

    private EngineKeyspace()
    {
    }

    /** Makes the reports queryable; called once, when the store is open. */
    public static void register(EngineControl engine)
    {
        if (Schema.instance.distributedKeyspaces().containsKeyspace(NAME))
        {
            logger.error("A user keyspace is called '{}': the engine's virtual tables are not available. Copy its " +
                         "tables to another keyspace, drop it and restart the node.", NAME);
            return;
        }
        ImmutableList.Builder<VirtualTable> tables = ImmutableList.builder();
        for (Map.Entry<String, String> topic : COMMENTS.entrySet())
            tables.add(table(engine, topic.getKey(), topic.getValue()));
        tables.addAll(TablesReport.tables(NAME, engine));
        tables.add(own("moves", MOVES, MoveReport::of));
        tables.add(own("exports", EXPORTS, Exports.instance::report));
        tables.add(own("streams", STREAMS, StreamHistory::report));
        tables.add(own("front_door", DOOR, FrontDoor.instance::report));
        tables.add(own("front_door_gates", GATES, FrontDoor.instance::gates));
        tables.add(own("front_door_recipes", RECIPES, FrontDoor.instance::recipes));
        VirtualKeyspaceRegistry.instance.register(new VirtualKeyspace(NAME, tables.build()));
    }

    /** A report that the plug-in itself makes. */
    private static VirtualTable own(String name, String comment, Supplier<String> report)
    {
        ReportSchema schema = new ReportSchema(name, StoreReport.parse(report.get()).columns);
        return new ReportTable(NAME, comment, schema, () -> StoreReport.parse(report.get()));
    }

    private static VirtualTable table(EngineControl engine, String topic, String comment)
    {
        StoreReport sample = StoreReport.parse(engine.report(topic));
        return new ReportTable(NAME,
                               comment,
                               new ReportSchema(topic, sample.columns),
                               () -> StoreReport.parse(engine.report(topic)));
    }
}
