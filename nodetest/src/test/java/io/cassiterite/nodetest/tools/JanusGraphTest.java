/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.tools;

import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertTrue;

/** JanusGraph keeps a graph in engine tables, and finds in it what it finds on a stock node. */
@Tag("tools")
class JanusGraphTest
{
    @Test
    void aGraphIsTheSame()
    {
        List<String> lines = TwoNodes.sameProgram("janusgraph", "FriendGraph", false);
        assertTrue(lines.contains("vertices: 500"), lines::toString);
        assertTrue(lines.get(lines.size() - 1).startsWith("refused: "), lines::toString);
    }
}
