/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.lifecycle;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.cassiterite.node.CommitLogArchiving;
import io.cassiterite.node.CommitLogParameter;
import io.cassiterite.node.EngineTable;
import io.cassiterite.schema.DefaultMemtable;
import io.cassiterite.schema.EngineQueryHandler;

/**
 * The rules when a node must not start, as a pure function. Without them Cassandra would open an engine table whose
 * engine is missing with its default memtable: empty, and accepting writes.
 */
final class StartRules
{
    static final String SUPPORTED_VERSION = "5.0.";

    private static final String PARTITIONER = "Murmur3Partitioner";

    private final StartFacts facts;
    private final List<String> refusals = new ArrayList<>();

    private StartRules(StartFacts facts)
    {
        this.facts = facts;
    }

    /** @return the reasons why the node must not start, each with what to do; empty if it may */
    static List<String> refusals(StartFacts facts)
    {
        StartRules rules = new StartRules(facts);
        rules.checkVersion();
        rules.checkDefaults();
        rules.checkDefinitions();
        rules.checkMarkers();
        rules.checkUnreadFiles();
        rules.checkSettings();
        return rules.refusals;
    }

    private void checkVersion()
    {
        if (facts.cassandraVersion == null || !facts.cassandraVersion.startsWith(SUPPORTED_VERSION))
            refuse("this jar is for Apache Cassandra %sx, but the node runs %s. Install the jar for that version.",
                   SUPPORTED_VERSION, facts.cassandraVersion);
        for (String member : facts.missingMembers)
            refuse("this jar needs a private member of Cassandra that version %s does not have: %s. Run a version that the " +
                   "jar was tested with, or install a newer jar.", facts.cassandraVersion, member);
    }

    private void checkDefaults()
    {
        if (facts.isEngine(StartFacts.DEFAULT_CONFIGURATION))
            refuse("cassandra.yaml maps the memtable configuration 'default' to Cassiterite, but Cassandra's own tables " +
                   "use it and need a stock memtable. Give the configuration another name; for new user tables set " +
                   "-D%s to that name.", DefaultMemtable.PROPERTY);

        if (facts.defaultMemtable != null && !facts.isEngine(facts.defaultMemtable))
            refuse("-D%s=%s does not name a Cassiterite memtable configuration of cassandra.yaml.",
                   DefaultMemtable.PROPERTY, facts.defaultMemtable);
    }

    private void checkDefinitions()
    {
        for (StartFacts.SchemaTable table : facts.tables)
            if (table.memtable != null && !facts.memtableClasses.containsKey(table.memtable))
                refuse("table %s uses the memtable configuration '%s', which cassandra.yaml of this node does not define. " +
                       "Cassandra would open the table with its default memtable, without its data. Add the " +
                       "configuration under memtable: configurations:.", table.name, table.memtable);
    }

    private void checkMarkers()
    {
        if (facts.parametersError != null && facts.storeDirectory == null)
            return; // the parameters do not say where the store is
        Map<String, StartFacts.SchemaTable> tables = new HashMap<>();
        for (StartFacts.SchemaTable table : facts.tables)
            tables.put(table.id, table);

        for (TableMarker marker : facts.markers)
        {
            StartFacts.SchemaTable table = tables.get(marker.tableId);
            if (table != null) // else the table has been dropped, and only its snapshots are left
                checkMarker(marker, table);
        }
        facts.entering().forEach(this::checkEntry);
    }

    private void checkEntry(StartFacts.SchemaTable table)
    {
        if (!table.obstacles.isEmpty())
            refuse("table %s would enter the engine with this start, for its memtable configuration '%s' maps to Cassiterite, which" +
                   " does not support what it has: %s. Map '%s' to a stock class again (class_name: TrieMemtable), and start. Then" +
                   " drop or alter these first; or give the table another configuration.",
                   table.name, configuration(table), String.join(", ", table.obstacles), configuration(table));
    }

    private void checkMarker(TableMarker marker, StartFacts.SchemaTable table)
    {
        if (!facts.isEngine(table.memtable))
        {
            refuse("the rows of table %s are in the Cassiterite store %s, but its memtable configuration '%s' now maps to " +
                   "%s. Map it to Cassiterite again. If the table is to leave the engine, move it out then, and drain the node.",
                   table.name, marker.storeDirectory, configuration(table), facts.memtableClasses.get(configuration(table)));
            return;
        }
        // The id decides, not the path: a store may be moved together with its configuration.
        if (!marker.storeId.equals(facts.storeId))
            refuse("the rows of table %s are in the Cassiterite store %s with id %s, but the configured directory %s holds " +
                   "%s. Is its disk mounted, and the directory configured right? Only if that store is lost for good: delete %s in " +
                   "the folders of its tables, which are then empty on this node.",
                   table.name, marker.storeDirectory, marker.storeId, facts.storeDirectory,
                   facts.storeId == null ? "no store" : "the store " + facts.storeId, TableMarker.FILE_NAME);
    }

    private void checkUnreadFiles()
    {
        refusals.addAll(UnreadFilesRefusal.of(RestoredFiles.of(facts).refused, facts));
    }

    private void checkSettings()
    {
        if (facts.libraryError != null && facts.memtableClasses.values().stream().anyMatch(EngineTable::isConfiguration))
            refuse("the native library cannot be loaded: %s", facts.libraryError);
        if (facts.parametersError != null)
            refuse("%s", facts.parametersError);

        StartFacts.SchemaTable example = engineTable();
        if (example == null)
            return;

        if (!EngineQueryHandler.class.getName().equals(facts.queryHandler))
            refuse("table %s is a Cassiterite table, but -Dcassandra.custom_query_handler_class=%s is not set (found: %s). " +
                   "Without it the node would accept schema changes that lose data.",
                   example.name, EngineQueryHandler.class.getName(), facts.queryHandler);
        if (!PARTITIONER.equals(facts.partitioner))
            refuse("table %s is a Cassiterite table, which needs %s; the node uses %s.",
                   example.name, PARTITIONER, facts.partitioner);
        checkCommitLog();
    }

    private void checkCommitLog()
    {
        if (facts.ambiguousRestore != null && facts.tables.stream().anyMatch(facts::isInCommitLog))
            refuse("%s", facts.ambiguousRestore);
        if (facts.archiving != null)
            facts.tables.stream().filter(facts::skipsCommitLog).findFirst()
                        .ifPresent(table -> refusals.add(CommitLogArchiving.refusal(table.name, facts.archiving)));
        for (StartFacts.SchemaTable table : facts.tables)
            if (table.cdc && facts.skipsCommitLog(table))
                refuse("table %s has cdc enabled, but its memtable configuration '%s' keeps its writes out of the commit log, which" +
                       " CDC reads. Add %s: true to the configuration's parameters; or start once with it, and set cdc = false.",
                       table.name, configuration(table), CommitLogParameter.NAME);
    }

    private StartFacts.SchemaTable engineTable()
    {
        for (StartFacts.SchemaTable table : facts.tables)
            if (facts.isEngine(table.memtable))
                return table;
        return null;
    }

    private static String configuration(StartFacts.SchemaTable table)
    {
        return table.memtable == null ? StartFacts.DEFAULT_CONFIGURATION : table.memtable;
    }

    private void refuse(String format, Object... arguments)
    {
        String refusal = String.format(format, arguments);
        if (!refusals.contains(refusal)) // each folder of a table has a marker
            refusals.add(refusal);
    }
}
