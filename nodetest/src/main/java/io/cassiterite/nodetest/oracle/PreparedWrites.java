/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

/**
 * Random statements that write one row, prepared, and executed so often that a front door does them itself. Their times are the
 * client's clock: a front door has no others. One thread.
 */
final class PreparedWrites
{
    private static final int[] TTL_SECONDS = { 0, 3, 60, 86_400 };

    private final TableShape shape;
    private final Random random;
    private final PreparedStatements statements;
    private List<TableShape.Column> variables = new ArrayList<>();

    PreparedWrites(TableShape shape, Random random)
    {
        this.shape = shape;
        this.random = random;
        this.statements = new PreparedStatements(shape, random);
    }

    /** @return whether a front door may write to the table */
    boolean arePossible()
    {
        return shape.stamps == TableShape.Stamps.CLOCK && !shape.counters && PreparedStatements.areNative(row());
    }

    Step next()
    {
        return statements.next(this::prepare, this::value);
    }

    /** To be told of every step that all sides refused. */
    void refused(Step step)
    {
        statements.refused(step);
    }

    private ByteBuffer value(TableShape.Column column)
    {
        int pick = shape.cells.contains(column) ? random.nextInt(12) : 2;
        if (pick < 2)
            return pick == 0 ? null : Wire.UNSET;
        return LiteralBytes.of(column.type.name, column.pool.isEmpty() ? NativeValues.literalOrEmpty(column.type.name, random, 12)
                                                                       : column.value(random));
    }

    private PreparedStatements.Prepared prepare()
    {
        variables = new ArrayList<>();
        List<TableShape.Column> columns = shape.cells.stream().filter(PreparedStatements::isNative)
                                                     .filter(column -> random.nextInt(3) > 0).collect(Collectors.toList());
        List<TableShape.Column> statics = columns.stream().filter(column -> column.isStatic).collect(Collectors.toList());
        // with both kinds it would write two rows, which is Cassandra's
        List<TableShape.Column> regulars = columns.stream().filter(column -> !column.isStatic).collect(Collectors.toList());
        int pick = random.nextInt(10);
        if (pick < 4 || columns.isEmpty())
            return pick % 2 == 0 ? prepared("prepared insert", insert(pick == 0 ? columns : regulars))
                                 : prepared("prepared delete", delete(List.of(), row()));
        if (regulars.isEmpty() || pick < 6 && !statics.isEmpty())
            return prepared("prepared update", update(statics, shape.partition));
        return pick < 8 ? prepared("prepared update", update(regulars, row())) : prepared("prepared delete", delete(regulars, row()));
    }

    private PreparedStatements.Prepared prepared(String kind, String cql)
    {
        return new PreparedStatements.Prepared(Step.write(kind, cql, List.of(), Step.CLOCK_STAMP), variables);
    }

    private List<TableShape.Column> row()
    {
        List<TableShape.Column> key = new ArrayList<>(shape.partition);
        key.addAll(shape.clustering);
        return key;
    }

    private String insert(List<TableShape.Column> columns)
    {
        List<TableShape.Column> all = row();
        all.addAll(columns);
        return "INSERT INTO {t} (" + TableShape.names(all) + ") VALUES ("
               + all.stream().map(this::variable).collect(Collectors.joining(", ")) + ')' + ttl(shape.rowsExpire ? 2 : 0);
    }

    private String update(List<TableShape.Column> columns, List<TableShape.Column> key)
    {
        return "UPDATE {t}" + ttl(4) + " SET " + pairs(columns, ", ") + " WHERE " + pairs(key, " AND ");
    }

    /** @param oneIn how seldom there is one; 0 for never */
    private String ttl(int oneIn)
    {
        return oneIn > 0 && random.nextInt(oneIn) == 0 ? " USING TTL " + TTL_SECONDS[random.nextInt(TTL_SECONDS.length)] : "";
    }

    private String delete(List<TableShape.Column> columns, List<TableShape.Column> key)
    {
        return "DELETE " + TableShape.names(columns) + " FROM {t} WHERE " + pairs(key, " AND ");
    }

    private String pairs(List<TableShape.Column> columns, String separator)
    {
        return columns.stream().map(column -> column.name + " = " + variable(column)).collect(Collectors.joining(separator));
    }

    /** From left to right, as variables are numbered. */
    private String variable(TableShape.Column column)
    {
        variables.add(column);
        return "?";
    }
}
