/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

/**
 * One sync at a time, shared by all callers that waited for it to begin. Syncs are numbered as they begin: a caller is
 * covered by one of a higher number than it found, and by none that failed. Thread-safe.
 */
final class SharedSync
{
    private final Runnable sync;
    private volatile long begun;
    private long succeeded;

    /** @param sync covers what was written before it began, and throws if it does not; never runs twice at a time */
    SharedSync(Runnable sync)
    {
        this.sync = sync;
    }

    /** Returns when a sync has succeeded that began after this call; throws what the caller's own sync throws. */
    void await()
    {
        long found = begun;
        synchronized (this)
        {
            if (succeeded > found)
                return;
            long number = begun + 1;
            begun = number;
            sync.run();
            succeeded = number;
        }
    }
}
