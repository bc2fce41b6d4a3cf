/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;

/**
 * Blocks of memory that collect the bytes of a received file before one write to the device. Their number is limited,
 * and no thread waits for one: a peer that hangs in the middle of a file occupies a block. Thread-safe.
 */
final class StagingBlocks
{
    /** The larger, the fewer writes; beyond this size that saves little. */
    static final int BLOCK_BYTES = 2 << 20;
    /** In memory: a multiple of what devices and filesystems need. */
    static final int ALIGNMENT_BYTES = 64 << 10;
    /** More connections than this do not make the device faster. */
    static final int LIMIT = 8;

    private static final Semaphore LEFT = new Semaphore(LIMIT);
    private static final ConcurrentLinkedQueue<ByteBuffer> FREE = new ConcurrentLinkedQueue<>();

    private StagingBlocks()
    {
    }

    /** @return an empty block; null if all are in use */
    static ByteBuffer take()
    {
        if (!LEFT.tryAcquire())
            return null;
        try
        {
            ByteBuffer block = FREE.poll();
            return block != null ? block : allocate();
        }
        catch (OutOfMemoryError e)
        {
            LEFT.release(); // out of direct memory: the page cache needs none
            return null;
        }
    }

    private static ByteBuffer allocate()
    {
        ByteBuffer aligned = ByteBuffer.allocateDirect(BLOCK_BYTES + ALIGNMENT_BYTES).alignedSlice(ALIGNMENT_BYTES);
        return aligned.limit(BLOCK_BYTES).slice();
    }

    /** Returns a block from {@link #take}. */
    static void give(ByteBuffer block)
    {
        FREE.add(block.clear());
        LEFT.release();
    }
}
