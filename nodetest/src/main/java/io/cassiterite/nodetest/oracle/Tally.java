/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.util.Map;
import java.util.TreeMap;

/** Counts what an oracle run did, per kind of statement. One thread. */
public final class Tally
{
    private static final class Count
    {
        long compared;
        long refused;
        long unreachable;
    }

    private final Map<String, Count> kinds = new TreeMap<>();
    private long tables;

    void table()
    {
        tables++;
    }

    /** @param outcome null for what is no statement */
    void count(Step step, Outcome outcome)
    {
        Count count = kinds.computeIfAbsent(step.kind, k -> new Count());
        if (outcome == null || step.action != Step.Action.STATEMENT)
            count.compared++;
        else if (outcome.compared)
        {
            count.compared++;
            if (outcome.failed)
                count.refused++;
        }
        else
            count.unreachable++;
    }

    /** @return operations compared, of all kinds */
    public long total()
    {
        return kinds.values().stream().mapToLong(c -> c.compared).sum();
    }

    /** @return operations that could not be compared since the node did not answer on either side */
    public long unreachable()
    {
        return kinds.values().stream().mapToLong(c -> c.unreachable).sum();
    }

    public String report()
    {
        StringBuilder text = new StringBuilder("oracle: " + total() + " operations compared on " + tables + " pairs of tables\n");
        kinds.forEach((kind, count) -> text.append(String.format("  %-20s %8d compared, of them %6d refused alike%s%n", kind,
                count.compared,
                                                                 count.refused, count.unreachable == 0 ? "" : ", " + count.unreachable
                                                                         + " without an answer")));
        return text.toString();
    }
}
