/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.index;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.apache.cassandra.db.compaction.CompactionInfo;
import org.apache.cassandra.db.compaction.OperationType;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.TimeUUID;

/**
 * What {@code nodetool compactionstats} shows of a build. Cassandra 5.0.9 gave its factory a third number, the total before
 * compression; the jar runs with both.
 */
final class BuildProgress
{
    private static final String NAME = "withoutSSTables";
    private static final Method FACTORY = factory(CompactionInfo.class);

    private BuildProgress()
    {
    }

    /**
     * @param done  of {@code total}, in units that Cassandra shows as ranges
     * @throws IllegalStateException on a version of Cassandra that has neither factory
     */
    static CompactionInfo of(TableMetadata table, TimeUUID build, long done, long total)
    {
        List<Object> arguments = new ArrayList<>(List.of(table, OperationType.INDEX_BUILD, done, total));
        if (longs(FACTORY) == 3)
            arguments.add(total);
        arguments.addAll(List.of(CompactionInfo.Unit.RANGES, build));
        try
        {
            return (CompactionInfo) FACTORY.invoke(null, arguments.toArray());
        }
        catch (IllegalAccessException | InvocationTargetException e)
        {
            throw new IllegalStateException(e);
        }
    }

    /** @return the method of {@code owner} that takes table, kind, two or three numbers, unit and id */
    static Method factory(Class<?> owner)
    {
        return Arrays.stream(owner.getMethods())
                     .filter(method -> method.getName().equals(NAME))
                     .filter(method -> longs(method) >= 2 && longs(method) <= 3 && method.getParameterCount() == longs(method) + 4)
                     .findFirst()
                     .orElseThrow(() -> new IllegalStateException("This version of Cassandra is not supported: CompactionInfo has no "
                                                                  + NAME + " of two or three numbers"));
    }

    private static long longs(Method method)
    {
        return Arrays.stream(method.getParameterTypes()).filter(type -> type == long.class).count();
    }
}
