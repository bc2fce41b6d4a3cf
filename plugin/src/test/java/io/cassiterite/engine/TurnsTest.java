/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.engine;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;

class TurnsTest
{
    private static List<Integer> upTo(int count)
    {
        return IntStream.range(0, count).boxed().collect(Collectors.toList());
    }

    @Test
    void aFewAreAlwaysDue()
    {
        Turns turns = new Turns();
        for (int count : new int[]{ 0, 1, Turns.AT_ONCE, 3 })
            for (int call = 0; call < 3; call++)
                assertEquals(upTo(count), turns.of(upTo(count)));
    }

    @Test
    void ofManyEachHasItsTurn()
    {
        for (int count : new int[]{ Turns.AT_ONCE + 1, 1000, 1024 })
        {
            Turns turns = new Turns();
            Set<Integer> seen = new HashSet<>();
            for (int call = 0; call * Turns.AT_ONCE < count; call++)
            {
                List<Integer> due = turns.of(upTo(count));
                assertEquals(Turns.AT_ONCE, Set.copyOf(due).size());
                seen.addAll(due);
            }
            assertEquals(count, seen.size());
        }
    }

    @Test
    void aListMayShrink()
    {
        Turns turns = new Turns();
        for (int call = 0; call < 10; call++)
            turns.of(upTo(1000));
        assertEquals(Turns.AT_ONCE, Set.copyOf(turns.of(upTo(100))).size());
        assertEquals(upTo(10), turns.of(upTo(10)));
    }
}
