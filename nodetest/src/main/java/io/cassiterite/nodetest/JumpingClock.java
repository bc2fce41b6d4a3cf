/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import org.apache.cassandra.utils.Clock;

/**
 * The wall clock of a test node ({@code -Dcassandra.clock}): the real one plus an offset that {@link NodeClock} writes
 * into a file mapped by both. The offset survives restarts, so the node's clock never goes back. Thread-safe.
 */
public final class JumpingClock implements Clock
{
    static final String FILE_PROPERTY = "cassiterite.clock.file";
    static final int FILE_BYTES = Long.BYTES;
    private static final VarHandle MILLIS =
        MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final MappedByteBuffer offset = map(Path.of(System.getProperty(FILE_PROPERTY)));

    @Override
    public long nanoTime()
    {
        return System.nanoTime();
    }

    @Override
    public long currentTimeMillis()
    {
        return System.currentTimeMillis() + read(offset);
    }

    static MappedByteBuffer map(Path file)
    {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE,
                                                    StandardOpenOption.CREATE))
        {
            return channel.map(FileChannel.MapMode.READ_WRITE, 0, FILE_BYTES);
        }
        catch (IOException e)
        {
            throw new UncheckedIOException("cannot map the clock's file " + file, e);
        }
    }

    static long read(MappedByteBuffer buffer)
    {
        return (long) MILLIS.getVolatile(buffer, 0);
    }

    static void add(MappedByteBuffer buffer, long millis)
    {
        MILLIS.getAndAdd(buffer, 0, millis);
    }
}
