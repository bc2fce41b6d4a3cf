/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.tools;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import io.cassiterite.node.StoreReport;

/** The tables that the node has, of its report of a backup. Immutable. */
final class NodeTables
{
    private final List<Map<String, String>> lines;

    NodeTables(StoreReport report)
    {
        lines = report.rows.stream().filter(line -> line.get("kind").equals("table")).collect(Collectors.toList());
    }

    boolean hasId(String id)
    {
        return lines.stream().anyMatch(line -> line.get("table_id").equals(id));
    }

    /** @return the name of the table with the id, or null */
    String nameOf(String id)
    {
        return lines.stream().filter(line -> line.get("table_id").equals(id)).map(NodeTables::name).findFirst().orElse(null);
    }

    /** @return its line, or null if there is no such table */
    Map<String, String> named(String keyspace, String table)
    {
        return lines.stream().filter(line -> line.get("keyspace_name").equals(keyspace) && line.get("table_name").equals(table))
                    .findFirst().orElse(null);
    }

    static boolean isEngine(Map<String, String> line)
    {
        return line.get("is_engine").equals("1");
    }

    static boolean hasRows(Map<String, String> line)
    {
        return line.get("has_rows").equals("1");
    }

    /** @return the names of the engine tables in these keyspaces */
    Set<String> engineTables(Set<String> keyspaces)
    {
        return lines.stream().filter(line -> isEngine(line) && keyspaces.contains(line.get("keyspace_name"))).map(NodeTables::name)
                    .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String name(Map<String, String> line)
    {
        return line.get("keyspace_name") + '.' + line.get("table_name");
    }
}
