/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

/** Random SELECTs over one table. One thread. */
final class Reads
{
    private static final int[] PAGES = { 1, 2, 3, 5, 7, 100, 5000, 5000, 5000 };
    private static final long[] AHEAD_SECONDS = { 0, 0, 0, 0, 2, 4, 61, 86_401, 604_801, 604_804, 604_861, 691_201 };

    private final TableShape shape;
    private final Random random;
    private final Restrictions where;

    Reads(TableShape shape, Random random)
    {
        this.shape = shape;
        this.random = random;
        this.where = new Restrictions(shape, random);
    }

    Step next()
    {
        int pick = random.nextInt(100);
        if (pick < 30)
            return step("select slice", projection(), where(true), true);
        if (pick < 42)
            return step("select row", projection(), where.rows(true), false);
        if (pick < 52)
            return step("select range", projection(), tokens(), false);
        if (pick < 62)
            return filtered();
        if (pick < 70)
            return distinct();
        if (pick < 80)
            return grouped();
        if (pick < 88)
            return step("select aggregate", aggregates(), random.nextBoolean() ? "" : where(false), false);
        if (pick < 95)
        {
            String columns = shape.rowsExpire || random.nextBoolean() ? "*" : plainColumns();
            return step("select json", "JSON " + columns, random.nextBoolean() ? "" : where(true), true);
        }
        return step("select in", projection(), where(true), false);
    }

    /** Everything that the table holds, in two forms. */
    List<Step> everything()
    {
        List<Step> steps = new ArrayList<>();
        steps.add(Step.read("verify rows", "SELECT * FROM {t}", 5000, 0));
        List<String> columns = new ArrayList<>();
        shape.partition.forEach(c -> columns.add(c.name));
        shape.clustering.forEach(c -> columns.add(c.name));
        for (TableShape.Column column : shape.cells)
        {
            columns.add(column.name);
            if (!shape.counters)
                columns.add("writetime(" + column.name + "), ttl(" + column.name + ')');
        }
        steps.add(Step.read("verify cells", "SELECT " + String.join(", ", columns) + " FROM {t}", 7, 0));
        return steps;
    }

    private Step step(String kind, String projection, String where, boolean orderable)
    {
        StringBuilder rest = new StringBuilder(" FROM {t}");
        if (!where.isEmpty())
            rest.append(" WHERE ").append(where);
        if (orderable && !shape.clustering.isEmpty() && !where.isEmpty() && random.nextInt(3) == 0)
            rest.append(order());
        return finish(kind, projection, rest, "");
    }

    /** @param rest what follows the projection; limits and {@code tail} are added */
    Step finish(String kind, String projection, StringBuilder rest, String tail)
    {
        if (random.nextInt(4) == 0)
            rest.append(" PER PARTITION LIMIT ").append(1 + random.nextInt(3));
        if (random.nextInt(4) == 0)
            rest.append(" LIMIT ").append(1 + random.nextInt(6));
        rest.append(tail);
        boolean partial = shape.rowsExpire && !projection.endsWith("*");
        Step read = Step.read(kind, "SELECT " + projection + rest, PAGES[random.nextInt(PAGES.length)], ahead());
        return partial ? read.askingStock("SELECT " + withRegulars(projection) + rest) : read;
    }

    /** That all regular columns are read of each row: {@link Step#stockCql}. */
    private String withRegulars(String projection)
    {
        List<TableShape.Column> regulars = shape.regulars();
        return regulars.isEmpty() ? projection : projection + ", " + TableShape.names(regulars);
    }

    private long ahead()
    {
        return AHEAD_SECONDS[random.nextInt(AHEAD_SECONDS.length)];
    }

    String order()
    {
        boolean reversed = random.nextInt(4) > 0;
        List<String> parts = new ArrayList<>();
        for (TableShape.Column column : shape.clustering.subList(0, 1 + random.nextInt(shape.clustering.size())))
            parts.add(column.name + (column.descending ^ reversed ? " DESC" : " ASC"));
        return " ORDER BY " + String.join(", ", parts);
    }

    private String where(boolean inAllowed)
    {
        String partitions = inAllowed ? where.partitions() : where.partitionKey();
        String slice = random.nextInt(4) == 0 ? "" : where.clusterings(inAllowed);
        return partitions + (slice.isEmpty() ? "" : " AND " + slice);
    }

    // --- what is selected

    private String projection()
    {
        return random.nextInt(3) == 0 ? "*" : columns();
    }

    private String columns()
    {
        List<String> chosen = new ArrayList<>();
        int ofThree = shape.rowsExpire ? 1 : 2;
        for (TableShape.Column column : shape.all())
            if (random.nextInt(3) < ofThree)
                chosen.add(selector(column));
        return chosen.isEmpty() ? "*" : String.join(", ", chosen);
    }

    /** Without WRITETIME, which is compared with some slack and must stay a column of its own. */
    private String plainColumns()
    {
        List<TableShape.Column> all = shape.all();
        return TableShape.names(all.subList(random.nextInt(all.size()), all.size()));
    }

    private String selector(TableShape.Column column)
    {
        String name = column.name;
        ValueType type = column.type;
        boolean isCell = shape.cells.contains(column);
        if (isCell && !shape.counters && random.nextInt(3) == 0)
            return new String[]{ "writetime(", "ttl(", "maxwritetime(" }[random.nextInt(3)] + name + ')';
        if (random.nextInt(4) > 0)
            return name;
        switch (type.kind)
        {
            case MAP:
            case SET:
                String key = type.parts.get(0).literal(random);
                return random.nextBoolean() ? name + '[' + key + ']' : name + '[' + key + ".." + type.parts.get(0).literal(random) + ']';
            case UDT:
                return name + '.' + type.fields.get(random.nextInt(type.fields.size()));
            case NATIVE:
                return random.nextBoolean() ? "to_json(" + name + ')' : name;
            default:
                return name;
        }
    }

    /** Where rows expire, a stock table is asked for the first row of each partition instead; in one page, for its paging states differ. */
    private Step distinct()
    {
        String columns = distinctColumns();
        String partitions = random.nextBoolean() ? "" : where.partitions();
        if (!shape.rowsExpire)
            return step("select distinct", "DISTINCT " + columns, partitions, false);
        String from = " FROM {t}" + (partitions.isEmpty() ? "" : " WHERE " + partitions);
        String limit = random.nextInt(4) == 0 ? " LIMIT " + (1 + random.nextInt(6)) : "";
        return Step.read("select distinct", "SELECT DISTINCT " + columns + from + limit, PAGES[PAGES.length - 1], ahead())
                   .askingStock("SELECT " + withRegulars(columns) + from + " PER PARTITION LIMIT 1" + limit);
    }

    private String distinctColumns()
    {
        String names = TableShape.names(shape.partition);
        List<TableShape.Column> statics = shape.statics();
        return statics.isEmpty() || random.nextBoolean() ? names : names + ", " + TableShape.names(statics);
    }

    private String aggregates()
    {
        List<String> parts = new ArrayList<>();
        parts.add("count(*)");
        for (TableShape.Column column : shape.all())
            if (random.nextBoolean())
                parts.add(new String[]{ "count(", "min(", "max(" }[random.nextInt(3)] + column.name + ')');
            else if (column.type.isNumber() && random.nextBoolean())
                parts.add((random.nextBoolean() ? "sum(" : "avg(") + column.name + ')');
        return String.join(", ", parts);
    }

    // --- shapes

    private String tokens()
    {
        String token = "token(" + TableShape.names(shape.partition) + ')';
        switch (random.nextInt(4))
        {
            case 0:
                return token + " > " + random.nextLong();
            case 1:
                return token + " <= " + token();
            case 2:
                return token + " >= " + token() + " AND " + token + " < " + random.nextLong();
            default:
                return "";
        }
    }

    private String token()
    {
        return "token(" + shape.partition.stream().map(c -> c.value(random)).collect(Collectors.joining(", ")) + ')';
    }

    private Step filtered()
    {
        List<TableShape.Column> candidates = shape.all();
        TableShape.Column column = candidates.get(random.nextInt(candidates.size()));
        ValueType type = column.type;
        String filter;
        if (type.kind == ValueType.Kind.MAP && random.nextBoolean())
            filter = column.name + " CONTAINS KEY " + type.parts.get(0).literal(random);
        else if (type.kind == ValueType.Kind.LIST || type.kind == ValueType.Kind.SET || type.kind == ValueType.Kind.MAP)
            filter = column.name + " CONTAINS " + type.parts.get(type.parts.size() - 1).literal(random);
        else
            filter = column.name + new String[]{ " = ", " > ", " <= ", " = " }[random.nextInt(4)] + type.literal(random);
        if (random.nextBoolean() && !shape.partition.contains(column))
            filter = where(false) + " AND " + filter;
        return finish("select filtered", projection(), new StringBuilder(" FROM {t} WHERE ").append(filter), " ALLOW FILTERING");
    }

    private Step grouped()
    {
        List<TableShape.Column> keys = new ArrayList<>(shape.partition);
        keys.addAll(shape.clustering.subList(0, random.nextInt(shape.clustering.size() + 1)));
        String projection = TableShape.names(keys) + ", " + aggregates();
        StringBuilder rest = new StringBuilder(" FROM {t}");
        if (random.nextBoolean())
            rest.append(" WHERE ").append(where(false));
        rest.append(" GROUP BY ").append(TableShape.names(keys));
        return finish("select group by", projection, rest, "");
    }
}
