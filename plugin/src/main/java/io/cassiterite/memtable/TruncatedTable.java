/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.util.concurrent.atomic.AtomicInteger;

import io.cassiterite.engine.Table;

/** A generation that TRUNCATE replaced: kept for running reads, and for the snapshot that TRUNCATE takes of it. */
final class TruncatedTable
{
    final Table table;
    private final AtomicInteger holds;

    TruncatedTable(Table table, int holds)
    {
        this.table = table;
        this.holds = new AtomicInteger(holds);
    }

    /** Gives up one hold; the last one deletes the generation's files. */
    void release()
    {
        if (holds.decrementAndGet() == 0)
            table.retire();
    }
}
