/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;

/** Counts what the sides of an index oracle answered. Thread-safe. */
final class IndexTally
{
    private long queries;
    private long withRows;
    private final Map<Side, Long> answered = new EnumMap<>(Side.class);
    private final Map<String, Long> refusals = new TreeMap<>();
    private final Map<String, Long> flaws = new TreeMap<>();

    synchronized void query(boolean rows)
    {
        queries++;
        if (rows)
            withRows++;
    }

    synchronized void answered(Side side)
    {
        answered.merge(side, 1L, Long::sum);
    }

    synchronized void refused(Side side, String reason)
    {
        refusals.merge(side.name().toLowerCase() + ": " + reason, 1L, Long::sum);
    }

    /** A difference of a stock index that is known. */
    synchronized void flaw(String flaw)
    {
        flaws.merge(flaw, 1L, Long::sum);
    }

    synchronized long queries()
    {
        return queries;
    }

    synchronized String report()
    {
        StringBuilder text = new StringBuilder("oracle: ").append(queries).append(" index queries compared, ").append(withRows)
                                                          .append(" of them with rows\n");
        answered.forEach((side, count) -> text.append(String.format("  %-8s answered %8d%n", side.name().toLowerCase(), count)));
        refusals.forEach((reason, count) -> text.append(String.format("  %8d refused by %s%n", count, reason)));
        flaws.forEach((flaw, count) -> text.append(String.format("  %8d left out: %s%n", count, flaw)));
        return text.toString();
    }
}
