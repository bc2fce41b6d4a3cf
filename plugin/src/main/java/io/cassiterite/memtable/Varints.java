/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.nio.ByteBuffer;

/** LEB128, low group first. */
final class Varints
{
    private Varints()
    {
    }

    static long read(ByteBuffer in)
    {
        byte first = in.get();
        return first >= 0 ? first : readMore(in, first & 0x7F);
    }

    private static long readMore(ByteBuffer in, long value)
    {
        for (int shift = 7; shift < 64; shift += 7)
        {
            byte next = in.get();
            value |= (next & 0x7FL) << shift;
            if (next >= 0)
                return value;
        }
        throw new MalformedFragmentException("a number of more than 64 bits");
    }

    /** A length, checked against what {@code in} still has. */
    static int readLength(ByteBuffer in)
    {
        long length = read(in);
        if (length < 0 || length > in.remaining())
            throw new MalformedFragmentException("a length of " + length + " where " + in.remaining() + " bytes are left");
        return (int) length;
    }
}
