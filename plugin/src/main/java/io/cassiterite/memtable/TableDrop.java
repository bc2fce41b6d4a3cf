/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

/** The DROP of an engine table: once Cassandra has done with the table, it is deleted from the store. Thread-safe. */
final class TableDrop
{
    private final Runnable deletion;
    private volatile boolean begun;
    private volatile boolean released;
    private volatile boolean done;

    TableDrop(Runnable deletion)
    {
        this.deletion = deletion;
    }

    void begin()
    {
        begun = true;
    }

    boolean hasBegun()
    {
        return begun;
    }

    /** Cassandra does not use the memtable any more. */
    void release()
    {
        released = true;
        if (begun)
            finish();
    }

    /** True for a table that is still in the store though Cassandra has done with it: its deletion has failed. */
    boolean isUnfinished()
    {
        return begun && released && !done;
    }

    boolean isDone()
    {
        return done;
    }

    /** Deletes the table from the store, once. When it returns, a table of the same id may be created. */
    synchronized void finish()
    {
        if (done)
            return;
        deletion.run();
        done = true;
    }
}
