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

/** A second descriptor of a connection that Netty owns. One thread receives and closes. */
public final class SharedSocket implements Closeable
{
    private final int descriptor;
    private boolean closed;

    private SharedSocket(int descriptor)
    {
        this.descriptor = descriptor;
    }

    /** @param descriptor of a connected socket, which must stay open during the call */
    public static SharedSocket of(int descriptor)
    {
        return new SharedSocket(Native.socketShare(descriptor));
    }

    /**
     * Fills a direct buffer from its position on, and moves the position.
     *
     * @param timeoutMillis how long to wait until the buffer is full
     * @return the number of bytes, fewer after the timeout
     * @throws ClosedChannelException if the peer has closed the connection
     */
    public int receive(ByteBuffer block, int timeoutMillis) throws IOException
    {
        if (closed)
            throw new ClosedChannelException();
        int bytes = receive(MemoryUtil.getAddress(block) + block.position(), block.remaining(), timeoutMillis);
        if (bytes < 0)
            throw new ClosedChannelException();
        block.position(block.position() + bytes);
        return bytes;
    }

    private int receive(long address, int capacity, int timeoutMillis) throws IOException
    {
        try
        {
            return Native.socketReceive(descriptor, address, capacity, timeoutMillis);
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
