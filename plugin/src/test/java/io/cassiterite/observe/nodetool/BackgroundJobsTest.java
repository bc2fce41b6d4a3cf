/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.observe.nodetool;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;

class BackgroundJobsTest
{
    @Test
    void asManyCompactionsAsAskedForAndOneFlushAtLeast()
    {
        assertEquals(2, BackgroundJobs.forCompactions(1));
        assertEquals(3, BackgroundJobs.forCompactions(2));
        assertEquals(5, BackgroundJobs.forCompactions(4));
        assertEquals(10, BackgroundJobs.forCompactions(8));
    }

    @Test
    void noMoreThanTheEngineTakes()
    {
        assertEquals(64, BackgroundJobs.forCompactions(1000));
    }
}
