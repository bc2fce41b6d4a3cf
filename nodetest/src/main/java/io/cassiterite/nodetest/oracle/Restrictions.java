/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Random WHERE clauses over the key of one table, in every shape that CQL has. One thread. */
final class Restrictions
{
    private static final String[] SLICES = { " < ", " <= ", " > ", " >= " };

    private final TableShape shape;
    private final Random random;
    private final Function<TableShape.Column, String> operand;

    Restrictions(TableShape shape, Random random)
    {
        this(shape, random, column -> column.value(random));
    }

    /** @param operand what a column is compared with */
    Restrictions(TableShape shape, Random random, Function<TableShape.Column, String> operand)
    {
        this.shape = shape;
        this.random = random;
        this.operand = operand;
    }

    /** One partition. */
    String partitionKey()
    {
        return shape.partition.stream().map(c -> c.name + " = " + operand.apply(c)).collect(Collectors.joining(" AND "));
    }

    /** One partition, or several by IN. */
    String partitions()
    {
        if (random.nextInt(4) > 0)
            return partitionKey();
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < shape.partition.size() - 1; i++)
            parts.add(shape.partition.get(i).name + " = " + operand.apply(shape.partition.get(i)));
        parts.add(in(shape.partition.get(shape.partition.size() - 1)));
        return String.join(" AND ", parts);
    }

    /** One row, or sometimes several by IN. */
    String rows(boolean manyAllowed)
    {
        boolean many = manyAllowed && random.nextInt(8) == 0;
        List<String> parts = new ArrayList<>();
        parts.add(many ? partitions() : partitionKey());
        for (TableShape.Column column : shape.clustering)
            parts.add(many && random.nextInt(3) == 0 ? in(column) : column.name + " = " + operand.apply(column));
        return String.join(" AND ", parts);
    }

    /** A part of one partition. */
    String range()
    {
        String slice = clusterings(false);
        return partitionKey() + (slice.isEmpty() ? "" : " AND " + slice);
    }

    /** Restrictions on the clustering: prefixes, slices of every bound, multi-column ones; "" for none. */
    String clusterings(boolean inAllowed)
    {
        if (shape.clustering.isEmpty())
            return "";
        int prefix = random.nextInt(shape.clustering.size() + 1);
        if (shape.clustering.size() > 1 && random.nextInt(3) == 0)
            return multiColumn(inAllowed);
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < prefix; i++)
        {
            TableShape.Column column = shape.clustering.get(i);
            parts.add(inAllowed && random.nextInt(4) == 0 ? in(column) : column.name + " = " + operand.apply(column));
        }
        if (prefix < shape.clustering.size() && random.nextInt(4) > 0)
        {
            TableShape.Column column = shape.clustering.get(prefix);
            if (random.nextBoolean())
                parts.add(column.name + (random.nextBoolean() ? " > " : " >= ") + operand.apply(column));
            if (parts.size() == prefix || random.nextBoolean())
                parts.add(column.name + (random.nextBoolean() ? " < " : " <= ") + operand.apply(column));
        }
        return String.join(" AND ", parts);
    }

    private String multiColumn(boolean inAllowed)
    {
        int length = 1 + random.nextInt(shape.clustering.size());
        String names = '(' + TableShape.names(shape.clustering.subList(0, length)) + ')';
        if (inAllowed && random.nextInt(3) == 0)
            return names + " IN (" + tuple(length) + ", " + tuple(length) + ')';
        String first = names + SLICES[random.nextInt(SLICES.length)] + tuple(length);
        if (random.nextBoolean())
            return first;
        int other = 1 + random.nextInt(shape.clustering.size());
        return first + " AND (" + TableShape.names(shape.clustering.subList(0, other)) + ')'
               + SLICES[random.nextInt(SLICES.length)] + tuple(other);
    }

    private String tuple(int length)
    {
        return '(' + shape.clustering.subList(0, length).stream().map(c -> operand.apply(c)).collect(Collectors.joining(", ")) + ')';
    }

    private String in(TableShape.Column column)
    {
        List<String> values = new ArrayList<>();
        for (int i = random.nextInt(4); i >= 0; i--)
            values.add(operand.apply(column));
        return column.name + " IN (" + String.join(", ", values) + ')';
    }
}
