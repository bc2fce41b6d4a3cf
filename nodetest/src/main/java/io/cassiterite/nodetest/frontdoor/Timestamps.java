/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.nio.ByteBuffer;
import java.util.Random;

/**
 * Timestamps of clients: of the last day, ties and steps back among them. They never lie ahead of the clock, because
 * cells that are younger than the DROP of their column would come back with it.
 */
final class Timestamps
{
    private static final long DAY_MICROS = 86_400_000_000L;
    private static final int STEPS = 100_000;

    private Timestamps()
    {
    }

    static long micros(Random random)
    {
        long dayAgo = System.currentTimeMillis() * 1_000 - DAY_MICROS;
        // Rounded to seconds, so that ties happen.
        return dayAgo / 1_000_000 * 1_000_000 + random.nextInt(STEPS);
    }

    static byte[] next(Random random)
    {
        return ByteBuffer.allocate(Long.BYTES).putLong(micros(random)).array();
    }
}
