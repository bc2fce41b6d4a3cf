/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.tools;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.cassiterite.nodetest.Cql;
import io.cassiterite.nodetest.Node;

/** A table with a column of each type that tools for files of text know, and fixed rows. Their texts are such as cqlsh can read again. */
final class AllTypes
{
    private static final int ROWS = 240;
    private static final int ROWS_PER_PARTITION = 8;
    private static final List<String> TYPES = List.of(
        "ascii", "bigint", "blob", "boolean", "date", "decimal", "double", "float", "inet", "int", "smallint", "text", "time", "timestamp",
        "timeuuid", "tinyint", "uuid", "varint", "list<int>", "set<text>", "map<text, int>", "frozen<list<text>>",
        "frozen<map<int, text>>", "tuple<int, text>", "frozen<address>");

    private AllTypes()
    {
    }

    static void create(String keyspace, String... tables)
    {
        for (Node node : TwoNodes.both())
            try (Cql cql = node.cql(keyspace))
            {
                cql.run("CREATE TYPE address (street text, zip int)");
                for (String table : tables)
                    cql.run("CREATE TABLE " + table + " (k int, c text, s text static, "
                            + TYPES.stream().map(type -> column(type) + " " + type).collect(Collectors.joining(", "))
                            + ", PRIMARY KEY (k, c)) WITH CLUSTERING ORDER BY (c DESC)");
            }
    }

    static void fill(String keyspace, String table)
    {
        for (Node node : TwoNodes.both())
            try (Cql cql = node.cql(keyspace))
            {
                IntStream.range(0, ROWS).forEach(i -> insert(cql, table, i));
                cql.run("DELETE FROM " + table + " WHERE k = 3");
                cql.run("DELETE FROM " + table + " WHERE k = 4 AND c > 'row 3'");
            }
    }

    private static void insert(Cql cql, String table, int i)
    {
        // each row lacks another column, but the first of a partition
        List<String> types = IntStream.range(0, TYPES.size()).filter(type -> i % ROWS_PER_PARTITION == 0 || type != i % TYPES.size())
                                      .mapToObj(TYPES::get).toList();
        cql.run("INSERT INTO " + table + " (k, c, s, " + types.stream().map(AllTypes::column).collect(Collectors.joining(", "))
                + ") VALUES (" + i / ROWS_PER_PARTITION + ", 'row " + i % ROWS_PER_PARTITION
                + "', 'static " + i / ROWS_PER_PARTITION + "', "
                + types.stream().map(type -> literal(type, i)).collect(Collectors.joining(", ")) + ")");
    }

    private static String column(String type)
    {
        return "v_" + type.replaceAll("[<, >]+", "_").replaceAll("_$", "");
    }

    private static String literal(String type, int i)
    {
        return switch (type)
        {
            case "ascii" -> "'a \"text\", with; ''signs'' | and " + i + "'";
            case "text" -> "'a \"text\", with; ''signs'' | \u00e4\u4e16 and " + i + "'";
            case "bigint" -> Long.toString(Long.MIN_VALUE + i);
            case "blob" -> "0x00ff" + String.format("%04x", i);
            case "boolean" -> Boolean.toString(i % 2 == 0);
            case "date" -> "'20" + (10 + i % 90) + "-02-" + (10 + i % 18) + "'";
            case "decimal" -> "-1234567890123456789.0" + i;
            case "double" -> Double.toString(1.0 / (i + 3));
            case "float" -> Float.toString(1.0f / (i + 3));
            case "inet" -> i % 2 == 0 ? "'10.0.0." + i % 256 + "'" : "'2001:db8::" + Integer.toHexString(i + 1) + "'";
            case "int" -> Integer.toString(-i * 1000);
            case "smallint" -> Integer.toString(-i);
            case "time" -> "'08:12:54." + String.format("%09d", i * 1_000_003L) + "'";
            case "timestamp" -> Long.toString(1_600_000_000_123L + i * 86_400_000L);
            case "timeuuid" -> String.format("%08x-8a8e-11ef-8000-0123456789ab", i);
            case "tinyint" -> Integer.toString(i % 128);
            case "uuid" -> String.format("%08x-8a8e-41ef-8000-0123456789ab", i);
            case "varint" -> "-12345678901234567890123456789" + i;
            case "list<int>" -> "[" + i + ", " + -i + ", " + i + "]";
            case "set<text>" -> "{'x, y', 'it''s', 'n" + i + "'}";
            case "map<text, int>" -> "{'a: b': " + i + ", 'c': 2}";
            case "frozen<list<text>>" -> "['one', 'two, three', '" + i + "']";
            case "frozen<map<int, text>>" -> "{" + i + ": 'v', -1: ''}";
            case "tuple<int, text>" -> "(" + i + ", 't, " + i + "')";
            case "frozen<address>" -> "{street: 'Main St. " + i + "', zip: " + i + "}";
            default -> throw new IllegalArgumentException(type);
        };
    }
}
