/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.engine;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;

import org.apache.cassandra.utils.memory.MemoryUtil;

/** A descriptor of its own for another's connection. One thread receives and closes. */
public final class SharedSocket implements Closeable
{
    private final int descriptor;
    private boolean closed;

    private SharedSocket(int descriptor)
    {
        this.descriptor = descriptor;
    }

    /** @param descriptor of a connected socket that nobody closes during the call */
    public static SharedSocket of(int descriptor)
    {
        return new SharedSocket(Native.socketShare(descriptor));
    }

    /**
     * Fills a direct buffer from its position on, which is moved.
     *
     * @param patienceMillis how long to wait for all of it
     * @return the number of bytes, fewer when the time was over
     * @throws ClosedChannelException if the peer has gone
     */
    public int receive(ByteBuffer block, int patienceMillis) throws IOException
    {
        if (closed)
            throw new ClosedChannelException();
        int bytes = receive(MemoryUtil.getAddress(block) + block.position(), block.remaining(), patienceMillis);
        if (bytes < 0)
            throw new ClosedChannelException();
        block.position(block.position() + bytes);
        return bytes;
    }

    private int receive(long address, int capacity, int patienceMillis) throws IOException
    {
        try
        {
            return Native.socketReceive(descriptor, address, capacity, patienceMillis);
        }
        catch (EngineException e)
        {
            if (e.kind() == EngineException.Kind.IO)
                throw (IOException) new ClosedChannelException().initCause(e);
            throw e;
        }
    }

    @Override
    public void close()
    {
        if (closed)
            return;
        closed = true;
        Native.socketClose(descriptor);
    }
}
