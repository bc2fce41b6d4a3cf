/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;

import org.apache.cassandra.utils.FBUtilities;

import io.cassiterite.engine.Store;

/** Space on the store's device that is reserved for shipments that are being received. Thread-safe. */
final class StagingSpace
{
    /** With less than this the engine would refuse writes at its next flush. */
    private static final long RESERVE_BYTES = 256L << 20;

    private static final AtomicLong RESERVED = new AtomicLong();

    private final AtomicLong left;

    private StagingSpace(long bytes)
    {
        left = new AtomicLong(bytes);
    }

    /** @throws IOException if there is no space for so many bytes beside what other shipments have reserved */
    static synchronized StagingSpace reserve(Store store, long bytes) throws IOException
    {
        if (!fits(store, bytes))
            RetainedFiles.deleteUnused();
        if (!fits(store, bytes))
            throw new IOException(String.format("No space for a stream of %s: the device of %s has %s free, other streams take %s of it, " +
                                                "%s are retained for another try, and %s must stay free",
                                                memory(bytes), store.directory(), memory(freeBytes(store)), memory(RESERVED.get()),
                                                memory(RetainedFiles.bytes()), memory(RESERVE_BYTES)));
        RESERVED.addAndGet(bytes);
        return new StagingSpace(bytes);
    }

    private static String memory(long bytes)
    {
        return FBUtilities.prettyPrintMemory(bytes);
    }

    private static boolean fits(Store store, long bytes)
    {
        return freeBytes(store) - RESERVED.get() - bytes >= RESERVE_BYTES;
    }

    /** True if the engine is about to run out of space. */
    static boolean isShort(Store store)
    {
        return freeBytes(store) < RESERVE_BYTES;
    }

    static long freeBytes(Store store)
    {
        return new java.io.File(store.directory()).getUsableSpace();
    }

    /** Some of it is on the device now. */
    void used(long bytes)
    {
        long taken = Math.min(bytes, left.get());
        left.addAndGet(-taken);
        RESERVED.addAndGet(-taken);
    }

    /** Nothing more will be received. */
    void release()
    {
        used(left.get());
    }
}
