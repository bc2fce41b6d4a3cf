/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.index;

import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

/** S6: dropping one of several indexes fails the build of none. */
class DroppedMeanwhileTest
{
    private final RuntimeException failure = new IllegalStateException("test");

    @Test
    void theOthersAreBuiltAgain()
    {
        assertEquals(List.of("b"), remaining(Set.of("a"), false));
    }

    @Test
    void nothingIsLeftWhereAllWereDropped()
    {
        assertEquals(List.of(), remaining(Set.of("a", "b"), false));
        assertEquals(List.of(), remaining(Set.of("a", "b"), true));
    }

    @Test
    void whatIsNoDropFails()
    {
        assertSame(failure, assertThrows(RuntimeException.class, () -> remaining(Set.of(), false)));
    }

    @Test
    void whoHasStoppedTheBuildWantsNoOther()
    {
        assertSame(failure, assertThrows(RuntimeException.class, () -> remaining(Set.of("a"), true)));
    }

    @Test
    void aBuildOfNothingFails()
    {
        assertSame(failure, assertThrows(RuntimeException.class,
                                         () -> DroppedMeanwhile.remaining(List.of(), index -> true, false, failure)));
    }

    private List<String> remaining(Set<String> gone, boolean stopped)
    {
        return DroppedMeanwhile.remaining(List.of("a", "b"), gone::contains, stopped, failure);
    }
}
