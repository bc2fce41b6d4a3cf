/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.lang.ref.Cleaner;

import org.apache.cassandra.concurrent.NamedThreadFactory;
import org.apache.cassandra.streaming.StreamSession;

/**
 * Releases what an outgoing stream uses. Cassandra finishes the streams of sessions that have begun. If a plan fails
 * while it is built (another table is truncated, the device is full) it drops them with the session. Thread-safe.
 */
final class StreamEnd
{
    private static final Cleaner CLEANER = Cleaner.create(new NamedThreadFactory("cassiterite-stream-end"));

    private StreamEnd()
    {
    }

    /**
     * @param action runs once: when the stream is finished, or when the session is unreachable. It must not reference
     *        the session, which would then stay reachable.
     */
    static Cleaner.Cleanable of(StreamSession session, Runnable action)
    {
        return CLEANER.register(session, action);
    }
}
