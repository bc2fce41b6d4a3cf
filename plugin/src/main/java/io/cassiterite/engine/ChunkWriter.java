/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.engine;

import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Takes rows that this node has in sstables into a table, a chunk at a time: they are written in the order of keys into files,
 * which then become a part of the table as they are. Used by one thread at a time; must be closed, which removes the files of
 * a chunk that was not received. What a killed process leaves of one, the next start removes.
 */
public final class ChunkWriter implements AutoCloseable
{
    private static final Cleaner CLEANER = Cleaner.create();

    private final Table table;
    private final Handle handle;
    private final Cleaner.Cleanable cleanable;

    private ChunkWriter(Table table, long handle)
    {
        this.table = table;
        this.handle = new Handle(handle);
        this.cleanable = CLEANER.register(this, this.handle);
    }

    /** Begins a chunk for one generation of a table; once that is truncated, the chunk cannot be received. */
    public static ChunkWriter begin(Table table)
    {
        try
        {
            return new ChunkWriter(table, Native.chunkBegin(table.handle()));
        }
        catch (EngineException e)
        {
            throw Failures.onWrite(e, table);
        }
    }

    /**
     * Adds rows of one partition, all of them behind those that were added before. A partition may come in any number of
     * requests, and what it has of deletions of the partition and of ranges with any of them.
     *
     * @param request a write request without entries of indexes; one that is malformed or out of order fails with the kind
     *                INVALID, and the chunk is what it was. After any other failure there is no chunk any more.
     * @return bytes of the chunk so far, before compression
     */
    public long append(DirectOutput request)
    {
        try
        {
            return Native.chunkAppend(open(), request.address(), request.length());
        }
        catch (EngineException e)
        {
            throw Failures.onWrite(e, table);
        }
        finally
        {
            Reference.reachabilityFence(this);
        }
    }

    /** Completes the files; they are on the device when it returns. */
    public ChunkFigures finish()
    {
        try
        {
            return new ChunkFigures(open());
        }
        catch (EngineException e)
        {
            throw Failures.onWrite(e, table);
        }
        finally
        {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * Moves a finished chunk into the table, durably; every read that begins later sees its rows. It can be repeated after a
     * failure, and the same rows may come again in another chunk.
     *
     * @param hadRows true if the table had these rows before, in sstables: then no index becomes incomplete
     * @return bytes of files that had to be rewritten, because the table's side families had keys in their range
     */
    public long receive(boolean hadRows)
    {
        try
        {
            return Native.chunkReceive(open(), hadRows);
        }
        catch (EngineException e)
        {
            throw Failures.onWrite(e, table);
        }
        finally
        {
            Reference.reachabilityFence(this);
        }
    }

    private long open()
    {
        long open = handle.get();
        if (open == 0)
            throw new IllegalStateException("chunk used after close");
        return open;
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
                Native.chunkClose(open);
        }
    }
}
