/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.tools;

import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertTrue;

/** Object mappers in applications of their own, which print what each step gave: the same on a stock node. */
@Tag("tools")
class MappersTest
{
    private static void assertSame(String tool, String application)
    {
        List<String> lines = TwoNodes.sameProgram(tool, application, true);
        assertTrue(lines.size() > 30, lines::toString);
    }

    @Test
    void springData()
    {
        assertSame("spring", "Visits");
    }

    @Test
    void javaDriversMapper()
    {
        assertSame("mapper", "Shops");
    }
}
