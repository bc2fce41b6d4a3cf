/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Delta debugging over a history: drops ever smaller runs of steps while the history still fails. */
final class Shrinker
{
    private final Predicate<History> fails;
    private final long deadlineNanos;

    /**
     * @param fails      replays a history on fresh tables
     * @param boundNanos the time limit, after which the best so far is taken
     */
    Shrinker(Predicate<History> fails, long boundNanos)
    {
        this.fails = fails;
        this.deadlineNanos = System.nanoTime() + boundNanos;
    }

    /** @return the shortest failing history found, or null where {@code whole} does not fail again */
    History shrink(History whole)
    {
        History best = whole;
        // Reads change nothing, restarts cost seconds: without them first.
        Step last = whole.steps.isEmpty() ? null : whole.steps.get(whole.steps.size() - 1);
        boolean reproduced = false;
        for (Predicate<Step> keep : List.<Predicate<Step>>of(s -> s == last || (s.action == Step.Action.STATEMENT && !s.read),
                                                             s -> s == last || (!s.touchesNode() && !s.read),
                                                             s -> !s.touchesNode()))
        {
            History candidate = whole.with(whole.steps.stream().filter(keep).collect(Collectors.toList()));
            if (candidate.steps.size() < whole.steps.size() && fails.test(candidate))
            {
                best = candidate;
                reproduced = true;
                break;
            }
        }
        if (!reproduced && !fails.test(whole))
            return null;
        return minimise(best);
    }

    private History minimise(History failing)
    {
        List<Step> steps = failing.steps;
        int chunk = Math.max(1, steps.size() / 2);
        while (System.nanoTime() < deadlineNanos)
        {
            boolean dropped = false;
            // From the front: the last step shows the difference and is tried last.
            for (int from = 0; from < steps.size() && System.nanoTime() < deadlineNanos;)
            {
                List<Step> rest = new ArrayList<>(steps.subList(0, from));
                rest.addAll(steps.subList(Math.min(steps.size(), from + chunk), steps.size()));
                if (fails.test(failing.with(rest)))
                {
                    steps = rest;
                    dropped = true;
                }
                else
                    from += chunk;
            }
            if (chunk == 1 && !dropped)
                break;
            chunk = Math.max(1, dropped ? Math.min(chunk, steps.size()) : chunk / 2);
        }
        return failing.with(steps);
    }
}
