/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe.metrics;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;

class EngineMetricsTest
{
    @Test
    void metricNamesAreCamelCase()
    {
        assertEquals("UsedBytes", EngineMetrics.camelCase("used_bytes"));
    }
}
