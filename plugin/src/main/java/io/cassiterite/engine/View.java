/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.engine;

/**
 * A table at one point in time, for scans that begin later. It keeps files and memory of the engine from being freed, once
 * for all scans, so it must be closed; a scan that has begun goes on. Thread-safe.
 */
public final class View implements AutoCloseable
{
    private final Table table;
    private final Cursor cursor;

    View(Table table, long handle)
    {
        this.table = table;
        this.cursor = new Cursor(handle);
    }

    /** Reads a range of partitions; the answer must be closed. */
    public Answer scan(DirectOutput request, Answer.Watch watch)
    {
        return Answer.scan(table, cursor, request, watch);
    }

    @Override
    public void close()
    {
        cursor.close();
    }
}
