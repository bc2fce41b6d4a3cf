/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.engine;

import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The rest of an answer: the engine keeps it open with a pinned view of the table. Used by one thread at a time;
 * must be closed. The garbage collector closes one that was dropped unclosed, so that it does not pin files for ever.
 */
final class Cursor implements AutoCloseable
{
    private static final Cleaner CLEANER = Cleaner.create();

    private final Handle handle;
    private final Cleaner.Cleanable cleanable;

    Cursor(long handle)
    {
        this.handle = new Handle(handle);
        this.cleanable = CLEANER.register(this, this.handle);
    }

    /** @see Native#cursorNext */
    int next(int flags, long answer, int capacity)
    {
        long open = handle.get();
        if (open == 0)
            throw new IllegalStateException("cursor used after close");
        try
        {
            return Native.cursorNext(open, flags, answer, capacity);
        }
        finally
        {
            Reference.reachabilityFence(this);
        }
    }

    /** @see Native#viewScan */
    int scan(DirectOutput request, long answer, int capacity)
    {
        long open = handle.get();
        if (open == 0)
            throw new IllegalStateException("view used after close");
        try
        {
            return Native.viewScan(open, request.address(), request.length(), answer, capacity);
        }
        finally
        {
            Reference.reachabilityFence(this);
        }
    }

    /** Drops the handle of a cursor that the engine has closed by itself. */
    void finished()
    {
        handle.set(0);
        cleanable.clean();
    }

    @Override
    public void close()
    {
        cleanable.clean();
    }

    private static final class Handle extends AtomicLong implements Runnable
    {
        private static final long serialVersionUID = 1L;

        Handle(long handle)
        {
            super(handle);
        }

        @Override
        public void run()
        {
            long open = getAndSet(0);
            if (open != 0)
                Native.cursorClose(open);
        }
    }
}
