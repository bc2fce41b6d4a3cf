/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Random SELECTs of rows, slices and whole partitions that are prepared, and executed so often that a front door answers
 * them itself: first it compares 32 answers in a row with Cassandra's. One thread.
 */
final class PreparedReads
{
    private final TableShape shape;
    private final Reads reads;
    private final Random random;
    private final PreparedStatements statements;

    PreparedReads(TableShape shape, Reads reads, Random random)
    {
        this.shape = shape;
        this.reads = reads;
        this.random = random;
        this.statements = new PreparedStatements(shape, random);
    }

    /** @return whether the door orders all of the key's types: it has no recipes for other tables */
    boolean arePossible()
    {
        return PreparedStatements.areNative(shape.partition) && PreparedStatements.areNative(shape.clustering);
    }

    Step next()
    {
        return statements.next(this::prepare, column -> LiteralBytes.of(column.type.name, column.value(random)));
    }

    /** To be told of every step that all sides refused. */
    void refused(Step step)
    {
        statements.refused(step);
    }

    private PreparedStatements.Prepared prepare()
    {
        List<TableShape.Column> variables = new ArrayList<>();
        Restrictions where = new Restrictions(shape, random, column -> operand(column, variables));
        boolean isRow = random.nextInt(3) == 0;
        StringBuilder rest = new StringBuilder(" FROM {t} WHERE ").append(isRow ? where.rows(false) : slice(where));
        if (!isRow && !shape.clustering.isEmpty() && random.nextInt(3) == 0)
            rest.append(reads.order());
        return new PreparedStatements.Prepared(reads.finish(isRow ? "prepared row" : "prepared slice", projection(), rest, ""), variables);
    }

    /** From left to right, as variables are numbered. */
    private static String slice(Restrictions where)
    {
        String partition = where.partitionKey();
        String clusterings = where.clusterings(true);
        return partition + (clusterings.isEmpty() ? "" : " AND " + clusterings);
    }

    /** A variable, or seldom a constant. */
    private String operand(TableShape.Column column, List<TableShape.Column> variables)
    {
        if (random.nextInt(10) == 0)
            return column.value(random);
        variables.add(column);
        return "?";
    }

    private String projection()
    {
        List<TableShape.Column> chosen = shape.all();
        if (random.nextBoolean())
            return "*";
        chosen.removeIf(column -> random.nextInt(3) == 0);
        return chosen.isEmpty() ? "*" : TableShape.names(chosen);
    }
}
