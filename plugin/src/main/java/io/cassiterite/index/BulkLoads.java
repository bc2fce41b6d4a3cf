/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.index;

/**
 * The bulk loads of a table. The engine notes before each that the indexes it knows lack entries. A scan that a load
 * overlaps misses rows all the same: of a load that began before the index was made, or of one that goes on behind the
 * scan. Thread-safe.
 */
final class BulkLoads
{
    private int running;
    private long ended;

    /** @param load its failure is the caller's */
    void run(Runnable load)
    {
        begin();
        try
        {
            load.run();
        }
        finally
        {
            end();
        }
    }

    private synchronized void begin()
    {
        running++;
    }

    private synchronized void end()
    {
        running--;
        ended++;
    }

    /** @return for {@link #noneSince} */
    synchronized long ended()
    {
        return ended;
    }

    synchronized boolean isAnyRunning()
    {
        return running > 0;
    }

    /** Whether none has run since {@link #ended} said so, and none runs. */
    synchronized boolean noneSince(long endedThen)
    {
        return running == 0 && ended == endedThen;
    }
}
