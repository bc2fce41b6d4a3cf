/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.crash;

import java.nio.ByteBuffer;
import java.util.Random;

/** The bytes that a row of a generation must have; half-written rows cannot match them. */
final class Payload
{
    private static final int BYTES_MAX = 3000;

    private Payload()
    {
    }

    /** @param column tells the cells of one row apart */
    static ByteBuffer of(long generation, int row, int column)
    {
        Random random = new Random(generation * 1_000_003 + row * 31L + column);
        byte[] bytes = new byte[random.nextInt(BYTES_MAX)];
        random.nextBytes(bytes);
        return ByteBuffer.wrap(bytes);
    }
}
