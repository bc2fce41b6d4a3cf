/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.lifecycle;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import io.cassiterite.node.EngineTable;
import io.cassiterite.node.UnreadFiles;

/** What a node finds at start, before it loads the schema: plain data for {@link StartRules}. */
final class StartFacts
{
    static final String DEFAULT_CONFIGURATION = "default";

    /** A row of system_schema.tables or views. */
    static final class SchemaTable
    {
        final String name;
        final String id;
        final String memtable;
        /** What the engine does not have: indexes of Cassandra, materialized views, options. For people. */
        final List<String> obstacles = new ArrayList<>();
        /** Whether it is captured: its writes are to be in the commit log. */
        boolean cdc;

        /**
         * @param name     keyspace.table
         * @param id       hexadecimal table id, with dashes
         * @param memtable name of its memtable configuration, or null if the schema names none
         */
        SchemaTable(String name, String id, String memtable)
        {
            this.name = name;
            this.id = id;
            this.memtable = memtable;
        }
    }

    /** For example 5.0.9. */
    String cassandraVersion;

    /** Private members of Cassandra that the plug-in needs and that are not there. */
    List<String> missingMembers = new ArrayList<>();

    /** Class names of the memtable configurations of cassandra.yaml by name, inheritance resolved, "default" included. */
    Map<String, String> memtableClasses = new LinkedHashMap<>();

    /** Class name of the configured query handler, or null. */
    String queryHandler;

    /** Value of the property of {@link io.cassiterite.schema.DefaultMemtable}, or null. */
    String defaultMemtable;

    /** Simple name of the partitioner's class. */
    String partitioner;

    /** What of the commit log is archived or restored ({@link io.cassiterite.node.CommitLogArchiving}), or null. */
    String archiving;

    /** Why the settings of a restore from archives do not say what is wanted, or null. */
    String ambiguousRestore;

    /** The engine's memtable configurations whose writes also go to the commit log. */
    Set<String> inCommitLog = new HashSet<>();

    List<SchemaTable> tables = new ArrayList<>();
    List<TableMarker> markers = new ArrayList<>();
    List<UnreadFiles> unreadFiles = new ArrayList<>();

    /** When the node was looked at. */
    long inspectedMillis;

    /** How an operator calls the program that loads snapshots, without what names the snapshot. */
    String loadCommand;

    /** Why the native library cannot be loaded, or null if it is. */
    String libraryError;

    /** What is wrong with the parameters of the engine's configurations, or null if nothing is. */
    String parametersError;

    /** The engine's configuration that wants the front door, or null if none does. */
    String frontDoor;

    /** The store's directory by the engine's configuration, or null if no configuration is the engine's. */
    String storeDirectory;

    /** The id of the store found in that directory, or null if there is no store. */
    String storeId;

    /** Whether a memtable configuration is the engine's; null is that of a table whose schema names none. */
    boolean isEngine(String configuration)
    {
        return EngineTable.isConfiguration(memtableClasses.get(configuration == null ? DEFAULT_CONFIGURATION : configuration));
    }

    /** Whether the table is the engine's, and its writes are not in the commit log. */
    boolean skipsCommitLog(SchemaTable table)
    {
        return isEngine(table.memtable) && !isInCommitLog(table);
    }

    /** Whether the table is the engine's, and its writes are in the commit log, too. */
    boolean isInCommitLog(SchemaTable table)
    {
        return inCommitLog.contains(table.memtable == null ? DEFAULT_CONFIGURATION : table.memtable);
    }

    /** @return the engine tables of the schema without a marker: the engine takes their writes from this start on */
    List<SchemaTable> entering()
    {
        Set<String> marked = markers.stream().map(marker -> marker.tableId).collect(Collectors.toSet());
        return tables.stream().filter(table -> isEngine(table.memtable) && !marked.contains(table.id)).collect(Collectors.toList());
    }

    /** The memtable configurations that are the engine's. */
    Set<String> engineKeys()
    {
        return memtableClasses.keySet().stream().filter(this::isEngine).collect(Collectors.toSet());
    }

    /** @return names by id of the tables of the schema whose marker tells that they are in the configured store */
    Map<String, String> marked()
    {
        Set<String> ids = new HashSet<>();
        for (TableMarker marker : markers)
            if (marker.storeId.equals(storeId))
                ids.add(marker.tableId);
        Map<String, String> marked = new LinkedHashMap<>();
        for (SchemaTable table : tables)
            if (ids.contains(table.id))
                marked.put(table.id, table.name);
        return marked;
    }
}
