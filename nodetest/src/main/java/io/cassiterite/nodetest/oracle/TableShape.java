/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

/**
 * A random table: columns, options, and the rules that its statements keep (see {@link Stamps}). Changes with ALTER
 * steps as they are generated; one thread.
 */
final class TableShape
{
    /** How the statements of a table get their timestamps. */
    enum Stamps
    {
        /** Any explicit timestamp, ties included; gc_grace stays long, since purging makes older writes visible. */
        FREE,
        /** Ever growing explicit timestamps, so that purging at gc_grace 0 changes no answer. */
        RISING,
        /** The clock's timestamps, so that a column may be dropped and added again. */
        CLOCK
    }

    static final class Column
    {
        String name;
        final ValueType type;
        final boolean isStatic;
        boolean descending;
        /** The values that statements draw from; empty where they draw from all of the type. */
        final List<String> pool = new ArrayList<>();

        Column(String name, ValueType type, boolean isStatic)
        {
            this.name = name;
            this.type = type;
            this.isStatic = isStatic;
        }

        String value(Random random)
        {
            return pool.get(random.nextInt(pool.size()));
        }
    }

    final List<Column> partition = new ArrayList<>();
    final List<Column> clustering = new ArrayList<>();
    final List<Column> cells = new ArrayList<>();
    final List<Column> dropped = new ArrayList<>();
    final Stamps stamps;
    final boolean counters;
    /**
     * Of counter tables. Cassandra lets the tombstone of a counter cell win over any later increment, but only as long
     * as no flush or compaction has dropped it under a row's or partition's deletion: mixed, answers depend on when the
     * tables are flushed. A table therefore sees either deletions of cells or all the others.
     */
    final boolean countersDeletedByCell;
    /** Whether INSERT may carry a TTL, which leaves rows that live in older cells: {@link Step#stockCql}. */
    final boolean rowsExpire;
    final String options;
    private int defaultTtlSeconds;
    private int namesUsed;

    /** Whether other columns than those of the key draw from few values, too. */
    private final boolean cellPools;
    /** Whether values may be {@link OddValues}. */
    final boolean oddValues;

    TableShape(Random random, List<ValueType> userTypes)
    {
        this(random, userTypes, random.nextInt(8) == 0, false, true);
    }

    /** @return a table without counters whose cells have few values: what queries by value find often */
    static TableShape ofFewValues(Random random, List<ValueType> userTypes)
    {
        return new TableShape(random, userTypes, false, true, random.nextInt(4) == 0);
    }

    private TableShape(Random random, List<ValueType> userTypes, boolean counters, boolean cellPools, boolean oddValues)
    {
        this.counters = counters;
        this.cellPools = cellPools;
        this.oddValues = oddValues;
        stamps = counters ? Stamps.CLOCK : Stamps.values()[random.nextInt(3)];
        countersDeletedByCell = random.nextBoolean();
        addKey(partition, "p", random.nextInt(4) == 0 ? 2 : 1, random, userTypes);
        addKey(clustering, "c", new int[]{ 0, 1, 1, 2, 2, 3 }[random.nextInt(6)], random, userTypes);
        int statics = clustering.isEmpty() ? 0 : random.nextInt(3);
        for (int i = random.nextInt(6) + (counters || cellPools ? 1 : 0); i > 0; i--)
            addCell(random, userTypes, false);
        for (int i = 0; i < statics; i++)
            addCell(random, userTypes, true);
        rowsExpire = !counters && random.nextInt(5) < 2;
        defaultTtlSeconds = rowsExpire && random.nextInt(2) == 0 ? new int[]{ 2, 30, 100_000 }[random.nextInt(3)] : 0;
        if (defaultTtlSeconds > 0 && stamps == Stamps.FREE)
            defaultTtlSeconds += 604_800;
        options = randomOptions(random);
    }

    private void addKey(List<Column> columns, String prefix, int count, Random random, List<ValueType> userTypes)
    {
        for (int i = 0; i < count; i++)
        {
            Column column = new Column(prefix + i, ValueType.random(random, true, 2, userTypes), false);
            column.descending = columns == clustering && random.nextBoolean();
            fillPool(column, random);
            columns.add(column);
        }
    }

    private void fillPool(Column column, Random random)
    {
        while (column.pool.size() < 6)
        {
            String value = value(column.type, random);
            if (oddValues || !OddValues.isIn(value))
                column.pool.add(value);
        }
    }

    private static String value(ValueType type, Random random)
    {
        return type.kind == ValueType.Kind.NATIVE ? NativeValues.literalOrEmpty(type.name, random, 12) : type.literal(random);
    }

    Column addCell(Random random, List<ValueType> userTypes, boolean isStatic)
    {
        ValueType type = counters ? ValueType.counter() : ValueType.random(random, false, 2, userTypes);
        Column column = new Column((isStatic ? "s" : "v") + namesUsed++, type, isStatic);
        if (cellPools)
            fillPool(column, random);
        cells.add(column);
        return column;
    }

    private String randomOptions(Random random)
    {
        List<String> parts = new ArrayList<>();
        if (defaultTtlSeconds > 0)
            parts.add("default_time_to_live = " + defaultTtlSeconds);
        if (stamps == Stamps.RISING && random.nextBoolean())
            parts.add("gc_grace_seconds = " + (random.nextBoolean() ? 0 : 3));
        String[] compactions = { "SizeTieredCompactionStrategy", "LeveledCompactionStrategy", "UnifiedCompactionStrategy",
                                 "TimeWindowCompactionStrategy" };
        if (random.nextBoolean())
            parts.add("compaction = {'class': '" + compactions[random.nextInt(compactions.length)] + "'}");
        String[] compressions = { "{'class': 'LZ4Compressor'}", "{'enabled': 'false'}", "{'class': 'ZstdCompressor'}" };
        if (random.nextBoolean())
            parts.add("compression = " + compressions[random.nextInt(compressions.length)]);
        if (random.nextInt(4) == 0)
            parts.add("caching = {'keys': 'ALL', 'rows_per_partition': '" + (random.nextBoolean() ? "ALL" : "3") + "'}");
        return String.join(" AND ", parts);
    }

    /** @return CREATE TABLE with {@code {t}} for the table's name and {@code {m}} for its memtable */
    String create()
    {
        StringBuilder cql = new StringBuilder("CREATE TABLE {t} (");
        for (Column column : partition)
            cql.append(column.name).append(' ').append(column.type.cql()).append(", ");
        for (Column column : clustering)
            cql.append(column.name).append(' ').append(column.type.cql()).append(", ");
        for (Column column : cells)
            cql.append(column.name).append(' ').append(column.type.cql()).append(column.isStatic ? " static, " : ", ");
        cql.append("PRIMARY KEY ((").append(names(partition)).append(')');
        if (!clustering.isEmpty())
            cql.append(", ").append(names(clustering));
        cql.append(")) WITH memtable = '{m}'");
        if (!clustering.isEmpty())
            cql.append(" AND CLUSTERING ORDER BY (").append(clustering.stream().map(c -> c.name + (c.descending ? " DESC" : " ASC"))
                                                                      .collect(Collectors.joining(", "))).append(')');
        return cql.append(options.isEmpty() ? "" : " AND " + options).toString();
    }

    static String names(List<Column> columns)
    {
        return columns.stream().map(c -> c.name).collect(Collectors.joining(", "));
    }

    List<Column> regulars()
    {
        return cells.stream().filter(c -> !c.isStatic).collect(Collectors.toList());
    }

    List<Column> statics()
    {
        return cells.stream().filter(c -> c.isStatic).collect(Collectors.toList());
    }

    List<Column> all()
    {
        List<Column> all = new ArrayList<>(partition);
        all.addAll(clustering);
        all.addAll(cells);
        return all;
    }
}
