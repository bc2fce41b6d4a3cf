/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.engine;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

import org.apache.cassandra.db.marshal.ValueAccessor;
import org.apache.cassandra.io.util.FileUtils;
import org.apache.cassandra.utils.bytecomparable.ByteSource;
import org.apache.cassandra.utils.memory.MemoryUtil;

/**
 * A growing little-endian buffer outside the heap in which a request is composed. Used by one thread at a time.
 */
public final class DirectOutput
{
    private static final int INITIAL_BYTES = 16 << 10;
    private static final int MAX_KEPT_BYTES = 1 << 20;

    private ByteBuffer buffer = allocate(INITIAL_BYTES);

    /** Starts an empty request, and frees the memory of an unusually large one. */
    public DirectOutput clear()
    {
        if (buffer.capacity() > MAX_KEPT_BYTES)
        {
            FileUtils.clean(buffer);
            buffer = allocate(INITIAL_BYTES);
        }
        buffer.clear();
        return this;
    }

    /** Address of the first byte; valid until the next call that may grow or clear this buffer. */
    public long address()
    {
        return MemoryUtil.getAddress(buffer);
    }

    public int length()
    {
        return buffer.position();
    }

    /** Drops everything written at or after {@code length}. */
    public void truncate(int length)
    {
        buffer.position(length);
    }

    public void putByte(int value)
    {
        ensure(1);
        buffer.put((byte) value);
    }

    public void putInt(int value)
    {
        ensure(4);
        buffer.putInt(value);
    }

    public void putLong(long value)
    {
        ensure(8);
        buffer.putLong(value);
    }

    public void putBigEndianLong(long value)
    {
        putLong(Long.reverseBytes(value));
    }

    public void setInt(int at, int value)
    {
        buffer.putInt(at, value);
    }

    public void setLong(int at, long value)
    {
        buffer.putLong(at, value);
    }

    public void setByte(int at, int value)
    {
        buffer.put(at, (byte) value);
    }

    /** Leaves space for a length (u32) and returns where it is, for {@link #endLength}. */
    public int beginLength()
    {
        putInt(0);
        return buffer.position();
    }

    /** Fills in the length of what was written since {@link #beginLength} returned {@code start}. */
    public void endLength(int start)
    {
        buffer.putInt(start - 4, buffer.position() - start);
    }

    /** Writes LEB128; {@code value} is unsigned. */
    public void putUnsignedVarint(long value)
    {
        ensure(10);
        while ((value & ~0x7FL) != 0)
        {
            buffer.put((byte) (value | 0x80));
            value >>>= 7;
        }
        buffer.put((byte) value);
    }

    public void putBytes(byte[] bytes, int offset, int length)
    {
        ensure(length);
        buffer.put(bytes, offset, length);
    }

    public <V> void putValue(ValueAccessor<V> accessor, V value, int size)
    {
        ensure(size);
        accessor.write(value, buffer);
    }

    /** Writes all bytes of {@code source}. */
    public void putSource(ByteSource source)
    {
        for (int b = source.next(); b != ByteSource.END_OF_STREAM; b = source.next())
            putByte(b);
    }

    /** The bytes from {@code start} on, copied; for tests and small answers. */
    public byte[] copyFrom(int start)
    {
        byte[] copy = new byte[buffer.position() - start];
        ByteBuffer view = buffer.duplicate();
        view.position(start);
        view.get(copy);
        return copy;
    }

    /** A little-endian, read-only view of what was written; valid as long as {@link #address}. */
    public ByteBuffer view()
    {
        ByteBuffer view = buffer.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        view.flip();
        return view;
    }

    private void ensure(int bytes)
    {
        if (buffer.remaining() < bytes)
            grow(bytes);
    }

    private void grow(int bytes)
    {
        long needed = (long) buffer.position() + bytes;
        long capacity = Math.max(needed, Math.min(2L * buffer.capacity(), Integer.MAX_VALUE - 8));
        if (needed > Integer.MAX_VALUE - 8)
            throw new IllegalArgumentException("a request of " + needed + " bytes is more than the engine takes at once");
        ByteBuffer larger = allocate((int) capacity);
        buffer.flip();
        larger.put(buffer);
        FileUtils.clean(buffer);
        buffer = larger;
    }

    private static ByteBuffer allocate(int bytes)
    {
        return ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
