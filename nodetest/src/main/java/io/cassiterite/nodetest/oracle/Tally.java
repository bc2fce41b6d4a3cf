/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.util.Map;
import java.util.TreeMap;

/** Counts what an oracle run did, per kind of statement. Thread-safe. */
public final class Tally
{
    private static final class Count
    {
        long compared;
        long refused;
        long unreachable;
    }

    /** Of prepared statements, the front door passes on those before a recipe is learnt and its audition over. */
    private static final int NATIVE_ONE_IN = 4;
    /** Fewer prove nothing; a machine that has other work may not come farther. */
    private static final int EXECUTIONS_MIN = 1000;
    private static final int EXECUTIONS_ON_ANY_MACHINE = 100;

    private final Map<String, Count> kinds = new TreeMap<>();
    private long tables;
    /** Of prepared statements on the engine's side. */
    private long executions;
    private long late;

    synchronized void table()
    {
        tables++;
    }

    /** @param outcome null for what is no statement */
    synchronized void count(Step step, Outcome outcome)
    {
        Count count = kinds.computeIfAbsent(step.kind, k -> new Count());
        if (outcome == null || step.action != Step.Action.STATEMENT)
            count.compared++;
        else if (outcome.compared)
        {
            count.compared++;
            executions += step.executions.size();
            late += outcome.late ? 1 : 0;
            if (outcome.failed)
                count.refused++;
        }
        else
            count.unreachable++;
    }

    /** @return operations compared, of all kinds */
    public synchronized long total()
    {
        return kinds.values().stream().mapToLong(c -> c.compared).sum();
    }

    /**
     * @param door the front door's counts
     * @return why this run proves too little of the front door; empty if it proves enough
     */
    public synchronized String doorFailure(Map<String, Long> door)
    {
        boolean isEnough = executions < EXECUTIONS_MIN ? executions >= EXECUTIONS_ON_ANY_MACHINE
                                                       : door.getOrDefault("executes_answered", 0L) * NATIVE_ONE_IN >= executions;
        return isEnough ? "" : "too few native answers: " + doorReport(door);
    }

    /** @param door the front door's counts */
    public synchronized String doorReport(Map<String, Long> door)
    {
        Map<String, Long> executes = new TreeMap<>(door);
        executes.entrySet().removeIf(count -> !count.getKey().startsWith("executes_") || count.getValue() == 0);
        return executions + " executions of prepared statements of engine tables, pages aside; the front door: " + executes;
    }

    /** @return operations that could not be compared since the node did not answer on either side */
    public synchronized long unreachable()
    {
        return kinds.values().stream().mapToLong(c -> c.unreachable).sum();
    }

    public synchronized String report()
    {
        StringBuilder text = new StringBuilder("oracle: " + total() + " operations compared on " + tables + " pairs of tables\n");
        kinds.forEach((kind, count) -> text.append(String.format("  %-20s %8d compared, of them %6d refused alike%s%n", kind,
                count.compared,
                                                                 count.refused, count.unreachable == 0 ? "" : ", " + count.unreachable
                                                                         + " without an answer")));
        if (late > 0)
            text.append("  ").append(late).append(" reads were asked again, for the clock had gone on before the answers came\n");
        return text.toString();
    }
}
