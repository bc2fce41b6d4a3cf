/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.engine;

import java.nio.ByteBuffer;

import org.apache.cassandra.utils.memory.MemoryUtil;

/**
 * The answer of the engine to a read or scan, entry by entry; it fetches more as needed. Not thread-safe. Closing
 * returns the buffer and ends the cursor. It may be done twice; a read after it fails.
 */
public final class Answer implements AutoCloseable
{
    public static final int HEADER = 1;
    public static final int STATIC = 2;
    public static final int ROW = 3;
    public static final int PARTITION = 4;
    public static final int SLICE_END = 5;

    private static final int HEAD_BYTES = 12;
    private static final int ENTRY_HEAD_BYTES = 5;
    private static final int SKIP = 1;

    private final Table table;
    private final Watch watch;
    private ByteBuffer buffer;
    private Cursor cursor;
    private int next;
    private int limit;
    private int kind;
    private int start;
    private int end;
    private boolean repeat;

    Answer(Table table, Watch watch, ByteBuffer buffer)
    {
        this.table = table;
        this.watch = watch;
        this.buffer = buffer;
    }

    /** Reads one partition; {@code request} as in docs/internals/boundary.md. */
    static Answer read(Table table, DirectOutput request, Watch watch)
    {
        return open(table, null, request, watch, false);
    }

    /** Reads a range of partitions. */
    static Answer scan(Table table, DirectOutput request, Watch watch)
    {
        return open(table, null, request, watch, true);
    }

    /** Reads a range of partitions as of the time of a view of the table. */
    static Answer scan(Table table, Cursor view, DirectOutput request, Watch watch)
    {
        return open(table, view, request, watch, true);
    }

    /** @param view null: as of now */
    private static Answer open(Table table, Cursor view, DirectOutput request, Watch watch, boolean scan)
    {
        Answer answer = new Answer(table, watch, Buffers.takeAnswer(Buffers.ANSWER_BYTES));
        boolean opened = false;
        try
        {
            int filled = answer.ask(table, view, request, scan);
            while (filled < 0) // what is read may grow between two calls
            {
                answer.grow(-filled);
                filled = answer.ask(table, view, request, scan);
            }
            answer.accept(filled);
            opened = true;
            return answer;
        }
        catch (EngineException e)
        {
            throw Failures.onRead(e, table);
        }
        finally
        {
            if (!opened)
                answer.close();
        }
    }

    private int ask(Table table, Cursor view, DirectOutput request, boolean scan)
    {
        long address = MemoryUtil.getAddress(buffer);
        if (view != null)
            return view.scan(request, address, buffer.capacity());
        return scan ? Native.scan(table.handle(), request.address(), request.length(), address, buffer.capacity())
                    : Native.read(table.handle(), request.address(), request.length(), address, buffer.capacity());
    }

    /** Moves to the next entry; false at the end of the answer. */
    public boolean next()
    {
        if (repeat)
        {
            repeat = false;
            return true;
        }
        while (next >= limit)
        {
            if (cursor == null)
            {
                if (buffer == null)
                    throw new IllegalStateException("answer used after close");
                return false;
            }
            fetch(0);
        }
        int left = limit - next - ENTRY_HEAD_BYTES;
        int size = left < 0 ? -1 : buffer.getInt(next + 1);
        if (size < 0 || size > left)
            throw malformed(limit);
        kind = buffer.get(next);
        start = next + ENTRY_HEAD_BYTES;
        end = start + size;
        next = end;
        return true;
    }

    /** Makes the next call of {@link #next} return the current entry again. */
    public void pushBack()
    {
        repeat = true;
    }

    /** Moves to the next PARTITION entry, without fetching what lies between; false at the end of the answer. */
    public boolean nextPartition()
    {
        if (repeat)
        {
            repeat = false;
            if (kind == PARTITION)
                return true;
        }
        while (true)
        {
            if (next >= limit)
            {
                if (cursor == null)
                    return false;
                fetch(SKIP);
            }
            else if (next() && kind == PARTITION)
                return true;
        }
    }

    public int kind()
    {
        return kind;
    }

    /** The buffer that holds the current entry's bytes at {@link #start} to {@link #end}, until the next move. */
    public ByteBuffer buffer()
    {
        return buffer;
    }

    public int start()
    {
        return start;
    }

    public int end()
    {
        return end;
    }

    /** True if everything has been fetched, so that no cursor is open for this answer. */
    public boolean isFetched()
    {
        return cursor == null;
    }

    public Table table()
    {
        return table;
    }

    @Override
    public void close()
    {
        if (cursor != null)
        {
            cursor.close();
            cursor = null;
        }
        if (buffer != null)
        {
            Buffers.giveBack(buffer);
            buffer = null;
            next = limit = 0;
            repeat = false;
        }
    }

    private void fetch(int flags)
    {
        watch.check();
        try
        {
            int filled = cursor.next(flags, MemoryUtil.getAddress(buffer), buffer.capacity());
            if (filled < 0)
            {
                grow(-filled);
                filled = cursor.next(flags, MemoryUtil.getAddress(buffer), buffer.capacity());
            }
            accept(filled);
        }
        catch (EngineException e)
        {
            throw Failures.onRead(e, table);
        }
    }

    /** Takes what the engine has put at the start of the buffer. */
    void accept(int filled)
    {
        int payload = filled < HEAD_BYTES ? -1 : buffer.getInt(8);
        if (payload < 0 || payload != filled - HEAD_BYTES)
            throw malformed(filled);
        long handle = buffer.getLong(0);
        if (handle == 0 && cursor != null)
        {
            cursor.finished();
            cursor = null;
        }
        else if (handle != 0 && cursor == null)
            cursor = new Cursor(handle);
        next = HEAD_BYTES;
        limit = filled;
    }

    private static IllegalStateException malformed(int bytes)
    {
        return new IllegalStateException("malformed answer of " + bytes + " bytes from the engine");
    }

    private void grow(int bytes)
    {
        ByteBuffer small = buffer;
        buffer = null;
        Buffers.giveBack(small);
        buffer = Buffers.takeAnswer(bytes);
    }

    /** The reader that the answer is for. */
    public interface Watch
    {
        /**
         * Called before each fetch, also where the last one brought no entries: the query of such a reader may have timed out.
         *
         * @throws RuntimeException if the query has been cancelled or has timed out
         */
        void check();
    }
}
