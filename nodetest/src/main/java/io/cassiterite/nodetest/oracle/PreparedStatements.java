/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Few prepared statements at a time, of a table's columns as they are now, each executed so often that a front door does them
 * itself: it learns a statement's recipe first. One thread.
 */
final class PreparedStatements
{
    private static final int STATEMENTS = 2;
    /** More than an audition has; fewer than microseconds of a millisecond. */
    private static final int EXECUTIONS = 48;

    /** A statement with its variables. */
    static final class Prepared
    {
        final Step step;
        final List<TableShape.Column> variables;

        Prepared(Step step, List<TableShape.Column> variables)
        {
            this.step = step;
            this.variables = variables;
        }
    }

    private final TableShape shape;
    private final Random random;
    private final List<Prepared> known = new ArrayList<>();
    private String knownOf;

    PreparedStatements(TableShape shape, Random random)
    {
        this.shape = shape;
        this.random = random;
    }

    /** @return whether all these columns have types of which a front door knows all values */
    static boolean areNative(List<TableShape.Column> columns)
    {
        return columns.stream().allMatch(PreparedStatements::isNative);
    }

    static boolean isNative(TableShape.Column column)
    {
        return column.type.kind == ValueType.Kind.NATIVE;
    }

    /**
     * @param prepare makes another statement
     * @param value   a value for a variable
     */
    Step next(Supplier<Prepared> prepare, Function<TableShape.Column, ByteBuffer> value)
    {
        // ALTER has changed a column, or its name
        if (!shape.create().equals(knownOf))
            known.clear();
        knownOf = shape.create();
        if (known.size() < STATEMENTS)
            known.add(prepare.get());
        else if (random.nextInt(8) == 0)
            known.set(random.nextInt(STATEMENTS), prepare.get());
        Prepared prepared = known.get(random.nextInt(known.size()));
        List<List<ByteBuffer>> executions = new ArrayList<>();
        for (int i = 0; i < EXECUTIONS; i++)
            executions.add(prepared.variables.stream().map(value).collect(Collectors.toList()));
        return prepared.step.executing(executions);
    }

    /** To be told of every step that all sides refused: its statement is not played again. */
    void refused(Step step)
    {
        known.removeIf(prepared -> prepared.step.cql.equals(step.cql));
    }
}
