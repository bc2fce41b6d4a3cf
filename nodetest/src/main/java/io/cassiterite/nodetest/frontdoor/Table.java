/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A random table and the values of its keys. Schema changes replace its columns; one thread. */
final class Table
{
    /** A column; of a key also the values that requests draw from. */
    static final class Column
    {
        final String name;
        final CqlType type;
        final boolean isStatic;
        final boolean descending;
        final List<byte[]> pool;

        Column(String name, CqlType type, boolean isStatic, boolean descending, List<byte[]> pool)
        {
            this.name = name;
            this.type = type;
            this.isStatic = isStatic;
            this.descending = descending;
            this.pool = pool;
        }

        byte[] value(Random random)
        {
            return pool.isEmpty() ? type.value(random) : pool.get(random.nextInt(pool.size()));
        }
    }

    private static final int[] CLUSTERINGS = { 0, 1, 1, 1, 2, 2, 3 };
    private static final int WIDE = 40;

    final String keyspace;
    final String name;
    final boolean counters;
    final List<Column> partition = new ArrayList<>();
    final List<Column> clustering = new ArrayList<>();
    final List<Column> cells = new ArrayList<>();
    final List<Column> dropped = new ArrayList<>();
    private final String options;
    private int namesUsed;

    Table(String keyspace, String name, Random random, List<CqlType> userTypes)
    {
        this.keyspace = keyspace;
        this.name = name;
        counters = random.nextInt(8) == 0;
        for (int i = random.nextInt(4) == 0 ? 2 : 1; i > 0; i--)
            partition.add(key("p" + partition.size(), CqlType.key(random, userTypes), false, random));
        for (int i = CLUSTERINGS[random.nextInt(CLUSTERINGS.length)]; i > 0; i--)
            clustering.add(key("c" + clustering.size(), CqlType.key(random, userTypes), random.nextInt(3) == 0, random));
        for (int i = random.nextInt(6) + (counters ? 1 : 0); i > 0; i--)
            cells.add(cell(random, userTypes, false));
        for (int i = clustering.isEmpty() ? 0 : random.nextInt(3); i > 0; i--)
            cells.add(cell(random, userTypes, true));
        options = options(random);
    }

    private static Column key(String name, CqlType type, boolean descending, Random random)
    {
        boolean wide = type.cql().equals("int") && random.nextBoolean();
        List<byte[]> pool = wide ? numbers() : type.several(2 + random.nextInt(6), random);
        // A partition key of no bytes is refused: seldom, or most requests would be.
        if (random.nextInt(4) > 0)
            pool.removeIf(value -> value.length == 0);
        if (pool.isEmpty())
            pool = numbers().stream().map(value -> type.value(random)).toList();
        return new Column(name, type, false, descending, pool);
    }

    private static List<byte[]> numbers()
    {
        return new ArrayList<>(Stream.iterate(0, i -> i + 1).limit(WIDE).map(i -> ByteBuffer.allocate(Integer.BYTES).putInt(i).array())
                                     .toList());
    }

    /** @return a new column, which the table does not have yet */
    Column cell(Random random, List<CqlType> userTypes, boolean isStatic)
    {
        String column = (isStatic ? "s" : "v") + namesUsed++;
        if (random.nextInt(10) == 0)
            column = "\"Mixed " + column + '"';
        return new Column(column, counters ? CqlType.counter() : CqlType.cell(random, userTypes), isStatic, false, List.of());
    }

    private String options(Random random)
    {
        // A table without the engine is one that the door must leave to Cassandra.
        StringBuilder text = new StringBuilder(" WITH memtable = '" + (random.nextInt(12) == 0 ? "trie" : "cassiterite") + '\'');
        if (!counters && random.nextInt(8) == 0)
            text.append(" AND default_time_to_live = ").append(3 + random.nextInt(100));
        if (random.nextInt(12) == 0)
            text.append(" AND speculative_retry = 'ALWAYS'");
        return text.toString();
    }

    String qualified()
    {
        return keyspace + '.' + name;
    }

    List<Column> statics()
    {
        return cells.stream().filter(column -> column.isStatic).toList();
    }

    List<Column> all()
    {
        List<Column> columns = new ArrayList<>(partition);
        columns.addAll(clustering);
        columns.addAll(cells);
        return columns;
    }

    String create()
    {
        String columns = all().stream().map(column -> column.name + ' ' + column.type.cql() + (column.isStatic ? " static" : ""))
                              .collect(Collectors.joining(", "));
        String keys = '(' + names(partition) + ')' + (clustering.isEmpty() ? "" : ", " + names(clustering));
        return "CREATE TABLE " + qualified() + " (" + columns + ", PRIMARY KEY (" + keys + "))" + options + order();
    }

    private String order()
    {
        if (clustering.stream().noneMatch(column -> column.descending))
            return "";
        return clustering.stream().map(c -> c.name + (c.descending ? " DESC" : " ASC"))
                         .collect(Collectors.joining(", ", " AND CLUSTERING ORDER BY (", ")"));
    }

    static String names(List<Column> columns)
    {
        return columns.stream().map(column -> column.name).collect(Collectors.joining(", "));
    }
}
