/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.lifecycle;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

import io.cassiterite.engine.BackgroundWork;

/** Steps to be done once, in their order; one that fails is tried again with the next attempt. Used by one thread. */
final class PendingSteps
{
    private final Map<String, Runnable> left = new LinkedHashMap<>();

    void add(String what, Runnable step)
    {
        left.put(what, step);
    }

    /** Runs what is left; a failure is logged. */
    void attempt()
    {
        for (Iterator<Map.Entry<String, Runnable>> steps = left.entrySet().iterator(); steps.hasNext(); )
        {
            Map.Entry<String, Runnable> step = steps.next();
            if (BackgroundWork.attempt(step.getKey(), step.getValue()))
                steps.remove();
        }
    }

    boolean areDone()
    {
        return left.isEmpty();
    }
}
