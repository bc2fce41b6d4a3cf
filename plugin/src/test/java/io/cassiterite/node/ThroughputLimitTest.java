/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.node;

import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;

class ThroughputLimitTest
{
    private final FakeEngine engine = new FakeEngine();
    private double node = 64 << 20;
    private final ThroughputLimit limit = new ThroughputLimit(engine.control(), () -> node);

    @Test
    void nodeLimitIsPassedOnceAndWhenItChanges()
    {
        limit.pass();
        limit.pass();
        assertEquals(Map.of(ThroughputLimit.OPTION, "67108864B/s"), engine.set);
        assertEquals(1, engine.calls("set"));
        node = 0;
        limit.pass();
        assertEquals(Map.of(ThroughputLimit.OPTION, "0B/s"), engine.set);
    }

    @Test
    void configuredLimitHoldsUntilTheNodeLimitChanges()
    {
        engine.answers.put("options", Map.of(ThroughputLimit.OPTION, "16MiB/s"));
        limit.pass();
        assertEquals(0, engine.calls("set"));
        node = 1 << 20;
        limit.pass();
        assertEquals("1048576B/s", engine.set.get(ThroughputLimit.OPTION));
    }

    @Test
    void aNodeLimitIsBroughtIntoTheBoundsOfTheOption()
    {
        assertEquals("0B/s", ThroughputLimit.text(0));
        assertEquals("65536B/s", ThroughputLimit.text(1));
        assertEquals("1099511627776B/s", ThroughputLimit.text(Double.MAX_VALUE));
    }
}
