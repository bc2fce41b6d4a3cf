/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import io.cassiterite.engine.DoorWrites;
import io.cassiterite.engine.Table;

/** Those of the door of this node. */
final class EngineWrites implements NativeWrites
{
    private final DoorWrites writes;

    EngineWrites(DoorWrites writes)
    {
        this.writes = writes;
    }

    @Override
    public void openTable(Table table, byte[] spec)
    {
        writes.openTable(table, spec);
    }

    @Override
    public void closeTable(byte[] tableId)
    {
        writes.closeTable(tableId);
    }

    @Override
    public void putRecipe(byte[] recipe)
    {
        writes.putRecipe(recipe);
    }

    @Override
    public void addRecord()
    {
        writes.addRecord();
    }

    @Override
    public long records()
    {
        return writes.records();
    }

    @Override
    public void recordsAreSafe(long count)
    {
        writes.recordsAreSafe(count);
    }

    @Override
    public void endCopies()
    {
        writes.endCopies();
    }
}
