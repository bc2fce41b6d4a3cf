/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest;

import java.nio.MappedByteBuffer;
import java.nio.file.Path;
import java.time.Duration;

/** A test's control of a node's wall clock; see {@link JumpingClock}. Thread-safe; the node may be down. */
public final class NodeClock
{
    private final MappedByteBuffer offset;

    NodeClock(Path file)
    {
        offset = JumpingClock.map(file);
    }

    /** Moves the node's clock forward, at once. */
    public void advance(Duration by)
    {
        if (by.isNegative())
            throw new IllegalArgumentException("a node's clock only goes forward: " + by);
        JumpingClock.add(offset, by.toMillis());
    }

    /** @return how far the node's clock is ahead of the real one */
    public Duration offset()
    {
        return Duration.ofMillis(JumpingClock.read(offset));
    }

    /** @return the node's wall clock, milliseconds since the epoch */
    public long millis()
    {
        return System.currentTimeMillis() + JumpingClock.read(offset);
    }
}
