/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.tools;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import io.cassiterite.node.StoreReport;

/** What a restore would do, by what the node reports of a backup and of its own tables. Immutable once made. */
final class RestorePlan
{
    /** In the order of the backup. */
    final List<TableRestore> tables = new ArrayList<>();
    final StockTables stock = new StockTables();
    /** Engine tables of the node in keyspaces of the backup, of which the backup has nothing. */
    final Set<String> without;
    /** Whether the node knows none of the tables: nothing is loaded. */
    final boolean isForeign;

    private RestorePlan(StoreReport report, RestoreOptions options)
    {
        NodeTables node = new NodeTables(report);
        List<BackedUpTable> backups = backups(report, node, options);
        for (BackedUpTable backup : backups)
            tables.add(TableRestore.of(backup, node, options));
        for (String table : options.tables)
            if (backups.stream().noneMatch(backup -> backup.keyspace.equals(options.keyspace) && backup.table.equals(table)))
                tables.add(TableRestore.missing(options.keyspace, table));
        List<BackedUpTable> known = backups.stream().filter(backup -> !backup.id.isEmpty()).collect(Collectors.toList());
        isForeign = !options.isByName && !known.isEmpty() && known.stream().noneMatch(backup -> node.hasId(backup.id));
        without = node.engineTables(backups.stream().map(backup -> backup.keyspace).collect(Collectors.toSet()));
        backups.forEach(backup -> without.remove(backup.keyspace + '.' + backup.table));
        without.removeIf(name -> !options.tables.isEmpty());
    }

    /** @param report of {@link io.cassiterite.observe.EngineMBean#reportBackup} */
    static RestorePlan of(StoreReport report, RestoreOptions options)
    {
        return new RestorePlan(report, options);
    }

    private List<BackedUpTable> backups(StoreReport report, NodeTables node, RestoreOptions options)
    {
        List<Map<String, String>> lines = report.rows.stream().filter(line -> isWanted(line, options)).collect(Collectors.toList());
        Set<String> withSnapshots = lines.stream().filter(line -> !line.get("snapshot").isEmpty()).map(line -> line.get("table_id"))
                                         .collect(Collectors.toSet());
        Map<String, BackedUpTable> backups = new LinkedHashMap<>();
        for (Map<String, String> line : lines)
        {
            String keyspace = line.get("keyspace_name");
            String table = line.get("table_name");
            if (isLive(line) && withSnapshots.contains(line.get("table_id")))
                continue;
            Map<String, String> into = node.named(keyspace, table);
            if (line.get("kind").equals("sstables") && (into == null || !NodeTables.isEngine(into)))
            {
                stock.add(line);
                continue;
            }
            // what does not tell its table stands for itself
            String key = keyspace.isEmpty() ? line.get("folder") : keyspace + '.' + table + ' ' + line.get("table_id");
            backups.computeIfAbsent(key, any -> new BackedUpTable(keyspace, table, line.get("table_id")))
                   .add(line, options.withIncrements);
        }
        backups.values().removeIf(backup -> !backup.hasEngineFiles() && backup.sstables().isEmpty());
        return new ArrayList<>(backups.values());
    }

    private static boolean isWanted(Map<String, String> line, RestoreOptions options)
    {
        return !line.get("kind").equals("table") && options.isWanted(line.get("keyspace_name"), line.get("table_name")) &&
               options.isWantedSnapshot(line.get("snapshot"));
    }

    /** Of a data folder that was copied with its snapshots: the sstables of the time of the copy. */
    private static boolean isLive(Map<String, String> line)
    {
        return line.get("kind").equals("sstables") && line.get("snapshot").isEmpty() && line.get("is_increment").equals("0");
    }

    List<TableRestore> possible()
    {
        return isForeign ? List.of() : tables.stream().filter(table -> table.problem == null).collect(Collectors.toList());
    }

    /** @return those that are not loaded, or not all of them */
    List<TableRestore> fallingShort()
    {
        return tables.stream().filter(table -> table.shortfall() != null).collect(Collectors.toList());
    }

    boolean isEmpty()
    {
        return tables.isEmpty();
    }
}
