/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.engine;

/** What the engine knows of an index of one generation, at one moment. Immutable. */
public final class IndexState
{
    /** Names the index in write requests; no other index of the table has had it. */
    public final int number;
    /** Whether each row of the table has its entries. */
    public final boolean complete;
    /** How many writes have come without entries for it since the table was opened. */
    public final long missedWrites;
    /** The same of shipments and snapshots. */
    public final long missedLoads;

    IndexState(long[] values)
    {
        number = (int) values[0];
        complete = values[1] != 0;
        missedWrites = values[2];
        missedLoads = values[3];
    }
}
