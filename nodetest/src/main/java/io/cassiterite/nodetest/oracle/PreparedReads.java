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
import java.util.stream.Stream;

/**
 * Random SELECTs of rows, slices and whole partitions that are prepared, and executed so often that a front door answers
 * them itself: it learns a statement's recipe first, and then compares 32 answers in a row with Cassandra's. Few statements at
 * a time, of the table's columns as they are now. One thread.
 */
final class PreparedReads
{
    private static final int STATEMENTS = 2;
    /** More than an audition has. */
    private static final int EXECUTIONS = 48;

    private static final class Prepared
    {
        final Step read;
        final List<TableShape.Column> variables;

        Prepared(Step read, List<TableShape.Column> variables)
        {
            this.read = read;
            this.variables = variables;
        }
    }

    private final TableShape shape;
    private final Reads reads;
    private final Random random;
    private final List<Prepared> known = new ArrayList<>();
    private String knownOf;

    PreparedReads(TableShape shape, Reads reads, Random random)
    {
        this.shape = shape;
        this.reads = reads;
        this.random = random;
    }

    /** @return whether the door orders all of the key's types: it has no recipes for other tables */
    boolean arePossible()
    {
        return key().allMatch(column -> column.type.kind == ValueType.Kind.NATIVE);
    }

    private Stream<TableShape.Column> key()
    {
        return Stream.concat(shape.partition.stream(), shape.clustering.stream());
    }

    Step next()
    {
        // ALTER has changed a column, or its name
        if (!shape.create().equals(knownOf))
            known.clear();
        knownOf = shape.create();
        if (known.size() < STATEMENTS)
            known.add(prepare());
        else if (random.nextInt(8) == 0)
            known.set(random.nextInt(STATEMENTS), prepare());
        Prepared prepared = known.get(random.nextInt(known.size()));
        List<List<ByteBuffer>> executions = new ArrayList<>();
        for (int i = 0; i < EXECUTIONS; i++)
            executions.add(prepared.variables.stream().map(column -> LiteralBytes.of(column.type.name, column.value(random)))
                                             .collect(Collectors.toList()));
        return prepared.read.executing(executions);
    }

    /** To be told of every step that all sides refused: its statement is not played again. */
    void refused(Step step)
    {
        known.removeIf(prepared -> prepared.read.cql.equals(step.cql));
    }

    private Prepared prepare()
    {
        List<TableShape.Column> variables = new ArrayList<>();
        Restrictions where = new Restrictions(shape, random, column -> operand(column, variables));
        boolean isRow = random.nextInt(3) == 0;
        StringBuilder rest = new StringBuilder(" FROM {t} WHERE ").append(isRow ? where.rows(false) : slice(where));
        if (!isRow && !shape.clustering.isEmpty() && random.nextInt(3) == 0)
            rest.append(reads.order());
        return new Prepared(reads.finish(isRow ? "prepared row" : "prepared slice", projection(), rest, ""), variables);
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
