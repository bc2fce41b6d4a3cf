/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

/** Random statements that change the data of one table. One thread; changes nothing but its own counter of stamps. */
final class Writes
{
    /** Above every clock for centuries, so that clock-stamped and future-stamped writes never tie by chance. */
    private static final long FUTURE_MICROS = 9_000_000_000_000_000L;

    private static final int[] SHORT_TTL_SECONDS = { 1, 3, 3, 60, 60, 86_400, 0 };
    /**
     * Longer than all clock jumps of an epoch together. Cassandra makes an expired cell a tombstone when it compacts,
     * and a tombstone wins a tie that the expired cell would have lost: where ties are possible, values may expire only
     * for reads ahead of the clock.
     */
    private static final int[] LONG_TTL_SECONDS = { 604_800, 604_803, 604_803, 604_860, 604_860, 691_200, 0 };

    private final TableShape shape;
    private final Random random;
    private final Restrictions where;
    private long rising = 1000;

    /** Of the statement being written. */
    private List<Step.Bind> binds = new ArrayList<>();
    private long stamp;

    Writes(TableShape shape, Random random)
    {
        this.shape = shape;
        this.random = random;
        this.where = new Restrictions(shape, random);
    }

    Step next()
    {
        binds = new ArrayList<>();
        stamp = Step.SERVER_STAMP;
        int pick = random.nextInt(100);
        if (shape.counters)
            return pick < 65 ? step("counter update", update(true, "")) : pick < 80 ? step("counter batch", counterBatch()) : delete();
        if (pick < 30)
            return step("insert", insert(true, ""));
        if (pick < 55)
            return step("update", update(true, ""));
        if (pick < 78)
            return delete();
        if (pick < 90)
            return batch();
        return shape.stamps == TableShape.Stamps.RISING ? step("insert", insert(true, "")) : conditional();
    }

    private Step step(String kind, String cql)
    {
        return Step.write(kind, cql, binds, stamp);
    }

    // --- timestamps

    /**
     * Decides the client's timestamp as well.
     *
     * @param ttlOneIn how seldom there is a TTL, 0 for never
     * @return " USING ..." or ""
     */
    private String using(boolean timestamped, int ttlOneIn)
    {
        List<String> parts = new ArrayList<>();
        if (timestamped)
        {
            Long explicit = nextStamp();
            if (explicit != null && random.nextInt(3) > 0)
                parts.add("TIMESTAMP " + explicit);
            else
                stamp = explicit != null ? explicit : Step.CLOCK_STAMP;
        }
        if (ttlOneIn > 0 && !shape.counters && random.nextInt(ttlOneIn) == 0)
            parts.add("TTL " + (shape.stamps == TableShape.Stamps.FREE ? LONG_TTL_SECONDS : SHORT_TTL_SECONDS)[random.nextInt(7)]);
        Collections.shuffle(parts, random);
        return parts.isEmpty() ? "" : " USING " + String.join(" AND ", parts);
    }

    /** @return the next explicit timestamp in microseconds, or null for the clock's */
    private Long nextStamp()
    {
        switch (shape.stamps)
        {
            case RISING:
                return rising += 1 + random.nextInt(3);
            case CLOCK:
                return null;
            default:
                int pick = random.nextInt(20);
                if (pick == 0)
                    return null;
                if (pick == 1)
                    return FUTURE_MICROS + random.nextInt(3);
                return pick == 2 ? -1L - random.nextInt(3) : 100L * (1 + random.nextInt(12));
        }
    }

    // --- statements

    private String insert(boolean timestamped, String condition)
    {
        List<String> names = new ArrayList<>();
        List<String> values = new ArrayList<>();
        boolean staticOnly = !shape.statics().isEmpty() && random.nextInt(8) == 0;
        // few columns over a row that has more: it lives on in those when the INSERT has expired
        int columnsOfTen = shape.rowsExpire && random.nextInt(3) == 0 ? 2 : 7;
        for (TableShape.Column column : shape.partition)
            add(names, values, column.name, column.value(random));
        if (!staticOnly)
            for (TableShape.Column column : shape.clustering)
                add(names, values, column.name, column.value(random));
        for (TableShape.Column column : staticOnly ? shape.statics() : shape.cells)
            if (random.nextInt(10) < columnsOfTen)
                add(names, values, column.name, value(column));
        return "INSERT INTO {t} (" + String.join(", ", names) + ") VALUES (" + String.join(", ", values) + ')' + condition
               + using(timestamped, shape.rowsExpire ? 2 : 0);
    }

    private static void add(List<String> names, List<String> values, String name, String value)
    {
        names.add(name);
        values.add(value);
    }

    private String value(TableShape.Column column)
    {
        return !column.pool.isEmpty() && random.nextInt(10) < 8 ? column.value(random) : value(column.type);
    }

    private String value(ValueType type)
    {
        int pick = random.nextInt(30);
        if (pick == 0)
            return "null";
        if (pick == 1)
            return bind(Step.Bind.UNSET);
        if (pick == 2)
            return bind(Step.Bind.NULL);
        if (pick == 3 && type.kind == ValueType.Kind.NATIVE)
            return bind(Step.Bind.EMPTY);
        return type.literal(random);
    }

    private String bind(Step.Bind bind)
    {
        binds.add(bind);
        return "?";
    }

    private String update(boolean timestamped, String condition)
    {
        boolean onStatics = !shape.statics().isEmpty() && random.nextInt(5) == 0;
        List<TableShape.Column> columns = new ArrayList<>(onStatics ? shape.statics() : shape.cells);
        if (columns.isEmpty())
            return shape.counters ? delete().cql : insert(timestamped, condition.isEmpty() ? "" : " IF NOT EXISTS");
        Collections.shuffle(columns, random);
        String using = using(timestamped, 5);
        String sets = columns.subList(0, 1 + random.nextInt(Math.min(3, columns.size()))).stream().map(this::assignment)
                             .collect(Collectors.joining(", "));
        String keys = onStatics && random.nextBoolean() ? where.partitionKey() : where.rows(condition.isEmpty());
        return "UPDATE {t}" + using + " SET " + sets + " WHERE " + keys + condition;
    }

    private String assignment(TableShape.Column column)
    {
        String name = column.name;
        ValueType type = column.type;
        if (type.kind == ValueType.Kind.COUNTER)
            return name + " = " + name + (random.nextBoolean() ? " + " : " - ") + random.nextInt(5);
        if (!type.isMultiCell() || random.nextInt(4) == 0)
            return name + " = " + value(column);
        switch (type.kind)
        {
            case LIST:
                return listAssignment(name, type);
            case SET:
                return name + " = " + name + (random.nextInt(3) > 0 ? " + " : " - ") + type.literal(random);
            case MAP:
                return mapAssignment(name, type);
            default:
                int field = random.nextInt(type.fields.size());
                return name + '.' + type.fields.get(field) + " = " + value(type.parts.get(field));
        }
    }

    private String listAssignment(String name, ValueType type)
    {
        switch (random.nextInt(4))
        {
            case 0:
                return name + " = " + type.literal(random) + " + " + name;
            case 1:
                return name + '[' + random.nextInt(3) + "] = " + value(type.parts.get(0));
            case 2:
                return name + " = " + name + " - " + type.literal(random);
            default:
                return name + " = " + name + " + " + type.literal(random);
        }
    }

    private String mapAssignment(String name, ValueType type)
    {
        switch (random.nextInt(4))
        {
            case 0:
                return name + " = " + name + " + " + type.literal(random);
            case 1:
                return name + " = " + name + " - {" + type.parts.get(0).literal(random) + '}';
            default:
                return name + '[' + type.parts.get(0).literal(random) + "] = " + value(type.parts.get(1));
        }
    }

    private Step delete()
    {
        boolean timestamped = !shape.counters;
        int pick = random.nextInt(10);
        if (shape.counters)
        {
            stamp = Step.CLOCK_STAMP;
            if (shape.countersDeletedByCell)
                return step("delete cells", deleteCells("", ""));
            pick = pick % 6;
        }
        String using = timestamped ? using(true, 0) : "";
        if (pick < 1)
            return step("delete partition", "DELETE FROM {t}" + using + " WHERE " + where.partitionKey());
        if (pick < 4 && !shape.clustering.isEmpty())
            return step("delete range", "DELETE FROM {t}" + using + " WHERE " + where.range());
        if (pick < 6 || shape.cells.isEmpty())
            return step("delete row", "DELETE FROM {t}" + using + " WHERE " + where.rows(true));
        return step("delete cells", deleteCells(using, ""));
    }

    private String deleteCells(String using, String condition)
    {
        boolean onStatics = !shape.statics().isEmpty() && random.nextInt(4) == 0;
        List<TableShape.Column> columns = new ArrayList<>(onStatics ? shape.statics() : shape.cells);
        if (columns.isEmpty())
            return "DELETE FROM {t}" + using + " WHERE " + where.rows(condition.isEmpty()) + condition;
        Collections.shuffle(columns, random);
        String targets = columns.subList(0, 1 + random.nextInt(Math.min(2, columns.size()))).stream().map(this::target)
                                .collect(Collectors.joining(", "));
        String keys = onStatics ? where.partitionKey() : where.rows(condition.isEmpty());
        return "DELETE " + targets + " FROM {t}" + using + " WHERE " + keys + condition;
    }

    private String target(TableShape.Column column)
    {
        ValueType type = column.type;
        if (!type.isMultiCell() || random.nextInt(3) == 0)
            return column.name;
        switch (type.kind)
        {
            case LIST:
                return column.name + '[' + random.nextInt(3) + ']';
            case UDT:
                return column.name + '.' + type.fields.get(random.nextInt(type.fields.size()));
            default:
                return column.name + '[' + type.parts.get(0).literal(random) + ']';
        }
    }

    // --- batches

    private Step batch()
    {
        boolean logged = random.nextBoolean();
        boolean outer = random.nextBoolean();
        String using = outer ? using(true, 0) : "";
        List<String> statements = new ArrayList<>();
        for (int i = 1 + random.nextInt(5); i > 0; i--)
            statements.add(member(!outer));
        return step(logged ? "logged batch" : "unlogged batch",
                    "BEGIN " + (logged ? "" : "UNLOGGED ") + "BATCH" + using + ' ' + String.join("; ", statements) + "; APPLY BATCH");
    }

    private String member(boolean timestamped)
    {
        long outer = stamp;
        String cql = random.nextInt(3) == 0 ? "DELETE FROM {t}" + using(timestamped, 0) + " WHERE " + where.rows(true)
                     : random.nextBoolean() ? insert(timestamped, "") : update(timestamped, "");
        if (outer != Step.SERVER_STAMP)
            stamp = outer;
        return cql;
    }

    private String counterBatch()
    {
        List<String> statements = new ArrayList<>();
        for (int i = 1 + random.nextInt(4); i > 0; i--)
            statements.add(update(true, ""));
        return "BEGIN COUNTER BATCH " + String.join("; ", statements) + "; APPLY BATCH";
    }

    // --- lightweight transactions: always stamped by the server

    private Step conditional()
    {
        Step step;
        switch (random.nextInt(5))
        {
            case 0:
            case 1:
                step = step("lwt insert", insert(false, " IF NOT EXISTS"));
                break;
            case 2:
                step = step("lwt delete", deleteCells("", condition()));
                break;
            case 3:
                step = step("lwt batch", "BEGIN BATCH " + insert(false, random.nextBoolean() ? " IF NOT EXISTS" : "") + "; "
                                         + update(false, condition()) + "; APPLY BATCH");
                break;
            default:
                step = step("lwt update", update(false, condition()));
        }
        return Step.write(step.kind, step.cql, step.binds, Step.SERVER_STAMP);
    }

    private String condition()
    {
        if (shape.cells.isEmpty() || random.nextInt(4) == 0)
            return " IF EXISTS";
        TableShape.Column column = shape.cells.get(random.nextInt(shape.cells.size()));
        String subject = column.name;
        ValueType type = column.type;
        if (type.isMultiCell() && random.nextBoolean())
        {
            if (type.kind == ValueType.Kind.LIST)
                return " IF " + subject + '[' + random.nextInt(2) + "] = " + type.parts.get(0).literal(random);
            if (type.kind == ValueType.Kind.MAP)
                return " IF " + subject + '[' + type.parts.get(0).literal(random) + "] != " + type.parts.get(1).literal(random);
            if (type.kind == ValueType.Kind.UDT)
                return " IF " + subject + '.' + type.fields.get(0) + " = " + type.parts.get(0).literal(random);
        }
        String[] operators = { " = ", " != ", " < ", " >= " };
        switch (random.nextInt(4))
        {
            case 0:
                return " IF " + subject + (random.nextBoolean() ? " = null" : " != null");
            case 1:
                return " IF " + subject + " IN (" + type.literal(random) + ", " + type.literal(random) + ')';
            default:
                return " IF " + subject + operators[random.nextInt(operators.length)] + type.literal(random);
        }
    }
}
