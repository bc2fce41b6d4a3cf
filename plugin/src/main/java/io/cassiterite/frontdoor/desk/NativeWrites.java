/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import io.cassiterite.engine.Table;

/** What the desk tells the front door of writes, as {@link NativeDoor} of reads. */
interface NativeWrites
{
    /** Lets recipes write to this generation of a table. Replaces the table's former opening to writes. */
    void openTable(Table table, byte[] spec);

    /** No write that was begun before is in progress when this returns. */
    void closeTable(byte[] tableId);

    /** Replaces the statement's former recipe. */
    void putRecipe(byte[] recipe);

    /** A record that has to outlive a crash before all rows that are written later is about to be complete. */
    void addRecord();

    /** How many such records there have been. */
    long records();

    /** So many of them, the first ones, outlive a crash. */
    void recordsAreSafe(long count);

    /** No write waits for other replicas any more; the door tells of those that were acknowledged, and then that it has. */
    void endCopies();
}
