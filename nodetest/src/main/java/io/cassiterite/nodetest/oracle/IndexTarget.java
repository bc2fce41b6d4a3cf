/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.util.Random;

/** What an index is on: a column, and what of it. Immutable. */
final class IndexTarget
{
    enum Part
    {
        WHOLE, VALUES, KEYS, ENTRIES, FULL
    }

    final TableShape.Column column;
    final Part part;

    IndexTarget(TableShape.Column column, Part part)
    {
        this.column = column;
        this.part = part;
    }

    /** @return a target that CREATE INDEX takes on this column, or, seldom, any other */
    static IndexTarget random(TableShape.Column column, Random random)
    {
        if (random.nextInt(15) == 0)
            return new IndexTarget(column, Part.values()[random.nextInt(Part.values().length)]);
        switch (column.type.kind)
        {
            case LIST:
            case SET:
                return new IndexTarget(column, column.type.frozen ? Part.FULL : Part.VALUES);
            case MAP:
                Part[] parts = { Part.VALUES, Part.KEYS, Part.ENTRIES };
                return new IndexTarget(column, column.type.frozen ? Part.FULL : parts[random.nextInt(parts.length)]);
            default:
                return new IndexTarget(column, Part.WHOLE);
        }
    }

    /** @return the target as CREATE INDEX writes it */
    String cql()
    {
        return part == Part.WHOLE ? column.name : part.name().toLowerCase() + '(' + column.name + ')';
    }

    /** @return a restriction that the index serves */
    String predicate(Random random)
    {
        ValueType type = column.type;
        switch (part)
        {
            case VALUES:
                return column.name + " CONTAINS " + last(type).literal(random);
            case KEYS:
                return column.name + " CONTAINS KEY " + first(type).literal(random);
            case ENTRIES:
                return column.name + '[' + first(type).literal(random) + "] = " + last(type).literal(random);
            default:
                return column.name + " = " + value(column, random);
        }
    }

    static String value(TableShape.Column column, Random random)
    {
        return column.pool.isEmpty() || random.nextInt(8) == 0 ? column.type.literal(random) : column.value(random);
    }

    /** Of what is no collection, the type itself: such targets are there to be refused. */
    private static ValueType first(ValueType type)
    {
        return type.parts.isEmpty() ? type : type.parts.get(0);
    }

    private static ValueType last(ValueType type)
    {
        return type.parts.isEmpty() ? type : type.parts.get(type.parts.size() - 1);
    }

    boolean isWhole()
    {
        return part == Part.WHOLE || part == Part.FULL;
    }

    boolean sameAs(IndexTarget other)
    {
        return column == other.column && part == other.part;
    }
}
