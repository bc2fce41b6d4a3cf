/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.engine;

/**
 * What the front door may write natively. Every method may be called from any thread. When one that ends a right has returned,
 * no write under it is in progress.
 */
public final class DoorWrites
{
    private final long door;

    DoorWrites(long door)
    {
        this.door = door;
    }

    /**
     * Lets recipes write to this generation of a table. Replaces the table's former opening to writes.
     *
     * @param spec as docs/internals/boundary.md describes it
     */
    public void openTable(Table table, byte[] spec)
    {
        Native.doorOpenWrites(door, table.handle(), spec);
    }

    public void closeTable(byte[] tableId)
    {
        Native.doorCloseWrites(door, tableId);
    }

    /** Takes the recipe of a statement that writes, in place of its former one. */
    public void putRecipe(byte[] recipe)
    {
        Native.doorPutModification(door, recipe);
    }

    /** A record that has to outlive a crash before all rows that are written later is about to be complete. Cheap. */
    public void addRecord()
    {
        Native.doorAddRecord(door);
    }

    /** @return how many such records there have been */
    public long records()
    {
        return Native.doorRecords(door);
    }

    /** So many of them, the first ones, outlive a crash. */
    public void recordsAreSafe(long count)
    {
        Native.doorRecordsAreSafe(door, count);
    }

    /**
     * Waits for no other replica any more: writes that were acknowledged, and that replicas may lack, are told by
     * {@link Door#take}, and behind them {@link Door.CopiesEnded}. For a node that stops, when the door may answer nothing more.
     */
    public void endCopies()
    {
        Native.doorEndCopies(door);
    }

    /**
     * @param version of the native protocol
     * @param body    of an EXECUTE
     * @return the write request that a recipe makes of it; null where Cassandra has to
     */
    public static byte[] request(byte[] recipe, int version, byte[] body, long nowSeconds)
    {
        return Native.modificationRequest(recipe, version, body, nowSeconds);
    }
}
