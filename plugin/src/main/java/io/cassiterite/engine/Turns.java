/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.engine;

import java.util.ArrayList;
import java.util.List;

/**
 * What periodic work looks at now: all of a few, some of many, each in its turn. So a node with thousands of tables does
 * not ask the engine for each of them every second. Not thread-safe.
 */
public final class Turns
{
    /** At most so many at once. */
    static final int AT_ONCE = 64;

    private int next;

    /** @return those whose turn it is, of a list in whose order they come from call to call */
    public <T> List<T> of(List<T> all)
    {
        if (all.size() <= AT_ONCE)
            return all;
        List<T> due = new ArrayList<>(AT_ONCE);
        for (int i = 0; i < AT_ONCE; i++)
            due.add(all.get((next + i) % all.size()));
        next = (next + AT_ONCE) % all.size();
        return due;
    }
}
