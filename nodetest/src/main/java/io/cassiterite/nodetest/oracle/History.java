/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.util.ArrayList;
import java.util.List;

/** How tables were created, and all its steps: enough to repeat them on fresh tables. */
final class History
{
    final String create;
    final List<Step> steps;
    private long startSeconds;

    History(String create)
    {
        this(create, new ArrayList<>());
    }

    History(String create, List<Step> steps)
    {
        this.create = create;
        this.steps = steps;
    }

    void add(Step step, long nowSeconds)
    {
        if (steps.isEmpty())
            startSeconds = nowSeconds;
        steps.add(step.at(nowSeconds - startSeconds));
    }

    History with(List<Step> others)
    {
        return new History(create, others);
    }

    /**
     * Repeats the steps on fresh tables and returns the first difference, or null. The tables are dropped.
     *
     * @param timed whether to repeat the pauses of the first run by jumps of the node's clock: what expires and is
     *        purged depends on them
     */
    String replay(Tables tables, boolean timed)
    {
        try
        {
            String difference = tables.create(create).difference;
            long start = tables.nowSeconds();
            for (int i = 0; difference == null && i < steps.size(); i++)
            {
                long late = steps.get(i).atSeconds - (tables.nowSeconds() - start);
                if (timed && late > 0)
                    tables.run(Step.jump(late));
                difference = tables.run(steps.get(i)).difference;
            }
            return difference;
        }
        finally
        {
            tables.drop();
        }
    }

    /** @return a script for a reader */
    String script()
    {
        StringBuilder text = new StringBuilder(create).append(";\n");
        for (Step step : steps)
            text.append("/* ").append(step.atSeconds).append(" s */ ").append(step.describe()).append('\n');
        return text.toString();
    }
}
