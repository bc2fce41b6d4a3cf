/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.tools;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The sstables of stock tables in a backup: Cassandra loads them. */
final class StockTables
{
    private final List<Map<String, String>> lines = new ArrayList<>();

    void add(Map<String, String> line)
    {
        lines.add(line);
    }

    List<String> describe()
    {
        List<String> text = new ArrayList<>();
        if (lines.isEmpty())
            return text;
        long tables = lines.stream().map(line -> line.get("keyspace_name") + '.' + line.get("table_name")).distinct().count();
        long sstables = lines.stream().mapToLong(line -> Long.parseLong(line.get("files"))).sum();
        text.add(String.format("stock tables: %d with %d sstables, which are Cassandra's to load:", tables, sstables));
        for (Map<String, String> line : lines)
            text.add("    " + command(line.get("keyspace_name"), line.get("table_name"), line.get("folder")));
        return text;
    }

    static String command(String keyspace, String table, String folder)
    {
        return String.format("nodetool import --copy-data %s %s %s", keyspace.isEmpty() ? "KEYSPACE" : keyspace,
                             table.isEmpty() ? "TABLE" : table, folder);
    }
}
