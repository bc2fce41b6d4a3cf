/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.lifecycle;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class PendingStepsTest
{
    @Test
    void whatFailsIsTriedAgainAndNothingElse()
    {
        List<String> done = new ArrayList<>();
        List<String> failing = new ArrayList<>(List.of("b"));
        PendingSteps steps = new PendingSteps();
        for (String step : List.of("a", "b", "c"))
            steps.add(step, () -> {
                if (failing.remove(step))
                    throw new IllegalStateException(step);
                done.add(step);
            });

        steps.attempt();
        assertEquals(List.of("a", "c"), done);
        assertFalse(steps.areDone());
        steps.attempt();
        assertEquals(List.of("a", "c", "b"), done);
        assertTrue(steps.areDone());
    }
}
