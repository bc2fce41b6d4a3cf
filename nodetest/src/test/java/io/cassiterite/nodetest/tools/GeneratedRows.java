/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.tools;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import com.datastax.oss.driver.api.core.cql.Row;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;

/** Rows of random values in all tables of an application's keyspace: the same on both nodes for the same seed. */
final class GeneratedRows
{
    private static final int ROWS = 80;
    /** So few values of each column that some rows meet. */
    private static final int VALUES = 6;
    private static final String STAMP = " USING TIMESTAMP ";

    private final Cql cql;
    private final String keyspace;
    private final Random random;

    private GeneratedRows(Cql cql, String keyspace, long seed)
    {
        this.cql = cql;
        this.keyspace = keyspace;
        random = new Random(seed);
    }

    /** Fills the tables of both, and compares them whole and by each partition. */
    static void assertSame(String keyspace)
    {
        long seed = System.nanoTime();
        System.out.println("seed " + seed + " of " + keyspace);
        TwoNodes.same(node -> {
            try (Cql cql = node.cql(keyspace))
            {
                return new GeneratedRows(cql, keyspace, seed).fillAll();
            }
        });
        TwoNodes.assertSameKeyspace(keyspace, true);
        for (Node node : TwoNodes.both())
            node.flush(keyspace);
        TwoNodes.assertSameKeyspace(keyspace, true);
    }

    /** @return what the tables have, partition by partition */
    private List<String> fillAll()
    {
        List<String> found = new ArrayList<>();
        List<Row> tables = cql.rows("SELECT table_name FROM system_schema.tables WHERE keyspace_name = ?", keyspace);
        for (Row table : tables)
            fill('"' + table.getString(0) + '"', columns(table.getString(0)), found);
        return found;
    }

    private List<Row> columns(String table)
    {
        return cql.rows("SELECT column_name, kind, type FROM system_schema.columns WHERE keyspace_name = ? AND table_name = ?",
                        keyspace, table);
    }

    private void fill(String table, List<Row> columns, List<String> found)
    {
        List<String> keys = names(columns, "partition_key");
        Set<String> partitions = new TreeSet<>();
        for (int i = 0; i < ROWS; i++)
        {
            Map<String, String> values = new TreeMap<>();
            for (Row column : columns)
                if (isKey(column) || random.nextInt(4) > 0)
                    values.put(name(column), literal(column.getString("type"), random.nextInt(VALUES)));
            String partition = keys.stream().map(key -> key + " = " + values.get(key)).collect(Collectors.joining(" AND "));
            partitions.add(partition);
            write(table, columns, values, i);
        }
        found.add(table);
        for (String partition : partitions)
            found.addAll(cql.exact("SELECT * FROM " + table + " WHERE " + partition));
    }

    private void write(String table, List<Row> columns, Map<String, String> values, int i)
    {
        List<String> keys = columns.stream().filter(GeneratedRows::isKey).map(GeneratedRows::name).toList();
        String where = " WHERE " + keys.stream().map(key -> key + " = " + values.get(key)).collect(Collectors.joining(" AND "));
        String counters = columns.stream().filter(column -> column.getString("type").equals("counter")).map(GeneratedRows::name)
                                 .map(name -> name + " = " + name + " + 3").collect(Collectors.joining(", "));
        if (!counters.isEmpty())
            cql.run("UPDATE " + table + " SET " + counters + where);
        else if (random.nextInt(10) == 0)
            cql.run("DELETE FROM " + table + STAMP + i + where);
        else
            cql.run("INSERT INTO " + table + " (" + String.join(", ", values.keySet()) + ") VALUES ("
                    + String.join(", ", values.values()) + ")" + STAMP + i);
    }

    private static boolean isKey(Row column)
    {
        return column.getString("kind").equals("partition_key") || column.getString("kind").equals("clustering");
    }

    private static String name(Row column)
    {
        return '"' + column.getString("column_name") + '"';
    }

    private static List<String> names(List<Row> columns, String kind)
    {
        return columns.stream().filter(column -> column.getString("kind").equals(kind)).map(GeneratedRows::name).toList();
    }

    private String literal(String type, int i)
    {
        int bracket = type.indexOf('<');
        if (bracket < 0)
            return simple(type, i);
        List<String> inner = parts(type.substring(bracket + 1, type.length() - 1));
        List<String> values = inner.stream().map(part -> literal(part, i)).toList();
        return switch (type.substring(0, bracket))
        {
            case "frozen" -> values.get(0);
            case "list" -> "[" + values.get(0) + ", " + values.get(0) + "]";
            case "set" -> "{" + values.get(0) + ", " + literal(inner.get(0), i + 1) + "}";
            case "map" -> "{" + values.get(0) + ": " + values.get(1) + "}";
            case "tuple" -> "(" + String.join(", ", values) + ")";
            default -> throw new IllegalArgumentException(type);
        };
    }

    private static List<String> parts(String types)
    {
        List<String> parts = new ArrayList<>();
        int depth = 0;
        int begin = 0;
        for (int i = 0; i < types.length(); i++)
        {
            depth += types.charAt(i) == '<' ? 1 : types.charAt(i) == '>' ? -1 : 0;
            if (depth == 0 && types.charAt(i) == ',')
            {
                parts.add(types.substring(begin, i).strip());
                begin = i + 1;
            }
        }
        parts.add(types.substring(begin).strip());
        return parts;
    }

    private String simple(String type, int i)
    {
        return switch (type)
        {
            case "ascii", "text" -> "'value " + i + "'";
            case "bigint", "int", "smallint", "tinyint", "varint", "counter" -> Integer.toString(i);
            case "blob" -> "0x0" + i;
            case "boolean" -> Boolean.toString(i % 2 == 0);
            case "date" -> "'2026-01-0" + (i + 1) + "'";
            case "decimal", "double", "float" -> i + ".25";
            case "duration" -> i + "h";
            case "inet" -> "'10.0.0." + i + "'";
            case "time" -> "'08:00:0" + i + "'";
            case "timestamp" -> Long.toString(1_700_000_000_000L + i);
            case "timeuuid" -> "0000000" + i + "-8a8e-11ef-8000-0123456789ab";
            case "uuid" -> "0000000" + i + "-8a8e-41ef-8000-0123456789ab";
            default -> userType(type, i);
        };
    }

    private String userType(String type, int i)
    {
        Row definition = cql.rows("SELECT field_names, field_types FROM system_schema.types WHERE keyspace_name = ? AND type_name = ?",
                                  keyspace, type).get(0);
        List<String> names = definition.getList(0, String.class);
        List<String> types = definition.getList(1, String.class);
        return IntStream.range(0, names.size()).mapToObj(field -> '"' + names.get(field) + "\": " + literal(types.get(field), i))
                        .collect(Collectors.joining(", ", "{", "}"));
    }
}
