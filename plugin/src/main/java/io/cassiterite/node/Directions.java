/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.node;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

import org.apache.cassandra.schema.TableId;

/** The directions of this node's engine tables, as their markers have them. Thread-safe. */
public final class Directions
{
    private static final Map<TableId, Direction> OTHERS = new ConcurrentHashMap<>();

    private Directions()
    {
    }

    public static Direction of(TableId table)
    {
        return OTHERS.getOrDefault(table, Direction.IN);
    }

    /** A live view of the tables with another direction than {@link Direction#IN}. */
    public static Set<TableId> others()
    {
        return OTHERS.keySet();
    }

    public static Set<TableId> leaving()
    {
        return OTHERS.entrySet().stream().filter(table -> table.getValue() == Direction.OUT).map(Map.Entry::getKey)
                     .collect(Collectors.toSet());
    }

    /** The marker of the table has it, or is about to be removed. */
    public static void set(TableId table, Direction direction)
    {
        if (direction == Direction.IN)
            OTHERS.remove(table);
        else
            OTHERS.put(table, direction);
    }
}
