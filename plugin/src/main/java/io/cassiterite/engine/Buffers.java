/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.engine;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

import io.netty.util.concurrent.FastThreadLocal;

import org.apache.cassandra.io.util.FileUtils;

/**
 * Each thread's direct buffers: one in which requests are composed, and a few that answers are read from. An answer
 * buffer belongs to its taker until it is returned; the garbage collector frees one that is never returned.
 */
public final class Buffers
{
    static final int ANSWER_BYTES = 64 << 10;
    private static final int MAX_CACHED_BYTES = 1 << 20;
    private static final int MAX_CACHED_ANSWERS = 4;

    private static final FastThreadLocal<Buffers> LOCAL = new FastThreadLocal<Buffers>()
    {
        @Override
        protected Buffers initialValue()
        {
            return new Buffers();
        }

        @Override
        protected void onRemoval(Buffers buffers)
        {
            buffers.free();
        }
    };

    private final DirectOutput request = new DirectOutput();
    private final ByteBuffer[] answers = new ByteBuffer[MAX_CACHED_ANSWERS];
    private int cached;

    private Buffers()
    {
    }

    /** This thread's request buffer, empty. The next call on this thread overwrites it. */
    public static DirectOutput request()
    {
        return LOCAL.get().request.clear();
    }

    /** A little-endian direct buffer of at least {@code bytes}, for the caller alone. */
    static ByteBuffer takeAnswer(int bytes)
    {
        Buffers local = LOCAL.get();
        while (local.cached > 0)
        {
            ByteBuffer buffer = local.answers[--local.cached];
            local.answers[local.cached] = null;
            if (buffer.capacity() >= bytes)
                return buffer;
            FileUtils.clean(buffer);
        }
        return ByteBuffer.allocateDirect(Math.max(bytes, ANSWER_BYTES)).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Ends the caller's use of a buffer from {@link #takeAnswer}. */
    static void giveBack(ByteBuffer buffer)
    {
        Buffers local = LOCAL.get();
        if (buffer.capacity() > MAX_CACHED_BYTES || local.cached == MAX_CACHED_ANSWERS)
        {
            FileUtils.clean(buffer);
            return;
        }
        buffer.clear();
        local.answers[local.cached++] = buffer;
    }

    private void free()
    {
        while (cached > 0)
            FileUtils.clean(answers[--cached]);
    }
}
