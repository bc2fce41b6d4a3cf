/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.nio.ByteBuffer;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.utils.UUIDGen;

/**
 * Tables that doors of other nodes want open, to read them or to write to them. {@link #add} is safe to use from any thread,
 * {@link #open} is one thread's.
 */
final class WantedTables
{
    private static final int MAX = 10_000;
    /** For so long a table stays open for other nodes. */
    private static final long OPEN_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final BlockingQueue<TableId> wanted = new ArrayBlockingQueue<>(MAX);
    private final OpenTables tables;
    private final BooleanSupplier isServed;

    /** @param isServed whether other doors are served at all; asked again and again */
    WantedTables(OpenTables tables, BooleanSupplier isServed)
    {
        this.tables = tables;
        this.isServed = isServed;
    }

    /** Where too many are wanted, the other node asks again. */
    void add(byte[] id)
    {
        if (isServed.getAsBoolean())
            wanted.offer(TableId.fromUUID(UUIDGen.getUUID(ByteBuffer.wrap(id))));
    }

    /** Opens what is wanted, and lets go of what nobody has wanted for long. */
    void open(long nowNanos)
    {
        tables.forgetOthers(isServed.getAsBoolean() ? nowNanos : nowNanos + OPEN_NANOS);
        for (TableId id = wanted.poll(); id != null; id = wanted.poll())
            tables.wantForOthers(id, nowNanos + OPEN_NANOS);
    }

    void clear()
    {
        wanted.clear();
    }
}
