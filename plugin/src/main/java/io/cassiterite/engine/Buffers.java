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
 * buffer belongs to whoever took it until it is given back; one that never comes back is freed by the collector.
 */
public final class Buffers
{
    static final int ANSWER_BYTES = 64 << 10;
    private static final int KEPT_BYTES = 1 << 20;
    private static final int KEPT_ANSWERS = 4;

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
    private final ByteBuffer[] answers = new ByteBuffer[KEPT_ANSWERS];
    private int kept;

    private Buffers()
    {
    }

    /** This thread's request buffer, empty. What it holds is gone at the next call on this thread. */
    public static DirectOutput request()
    {
        return LOCAL.get().request.clear();
    }

    /** A little-endian direct buffer of at least {@code bytes}, for the caller alone. */
    static ByteBuffer takeAnswer(int bytes)
    {
        Buffers local = LOCAL.get();
        while (local.kept > 0)
        {
            ByteBuffer buffer = local.answers[--local.kept];
            local.answers[local.kept] = null;
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
        if (buffer.capacity() > KEPT_BYTES || local.kept == KEPT_ANSWERS)
        {
            FileUtils.clean(buffer);
            return;
        }
        buffer.clear();
        local.answers[local.kept++] = buffer;
    }

    private void free()
    {
        while (kept > 0)
            FileUtils.clean(answers[--kept]);
    }
}
