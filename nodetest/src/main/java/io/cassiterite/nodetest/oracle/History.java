/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** How a twin was created and all that happened to it: enough to do it again on fresh tables. */
final class History
{
    final String create;
    final List<Step> steps;

    History(String create)
    {
        this(create, new ArrayList<>());
    }

    History(String create, List<Step> steps)
    {
        this.create = create;
        this.steps = steps;
    }

    History with(List<Step> others)
    {
        return new History(create, others);
    }

    /** Does it again on a fresh twin and returns the first difference, or null. The tables are dropped. */
    String replay(Twin twin)
    {
        try
        {
            String difference = twin.create(create).difference;
            for (int i = 0; difference == null && i < steps.size(); i++)
                difference = twin.run(steps.get(i)).difference;
            return difference;
        }
        finally
        {
            twin.drop();
        }
    }

    /** @return a script for a reader */
    String script()
    {
        return create + ";\n" + steps.stream().map(Step::describe).collect(Collectors.joining("\n"));
    }
}
