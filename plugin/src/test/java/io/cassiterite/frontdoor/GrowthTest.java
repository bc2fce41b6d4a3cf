/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** L1: one burst of clients is told of once, not each hour for ever. */
class GrowthTest
{
    private final List<Long> told = new ArrayList<>();
    private boolean maySpeak = true;
    private final Growth growth = new Growth(count -> maySpeak && told.add(count));

    @Test
    void onlyGrowthIsToldOf()
    {
        for (long count : new long[]{ 0, 0, 3, 3, 3, 5, 5 })
            growth.see(count);
        assertEquals(List.of(3L, 5L), told);
    }

    @Test
    void whatCouldNotBeToldIsToldLater()
    {
        growth.see(3);
        maySpeak = false;
        growth.see(4);
        maySpeak = true;
        growth.see(4);
        growth.see(4);
        assertEquals(List.of(3L, 4L), told);
    }
}
