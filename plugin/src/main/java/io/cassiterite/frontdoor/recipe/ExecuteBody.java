/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.recipe;

import java.nio.ByteBuffer;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;

import org.apache.cassandra.db.ConsistencyLevel;
import org.apache.cassandra.utils.ByteBufferUtil;
import org.apache.cassandra.utils.MD5Digest;

/** The body of an EXECUTE, as a driver would send it for a probe. */
final class ExecuteBody
{
    static final int VERSION = 4;

    private static final int VALUES = 0x01;
    private static final int TIMESTAMP = 0x20;
    /** Lengths of what has no value. */
    private static final int NULL = -1;
    private static final int UNSET = -2;

    private ExecuteBody()
    {
    }

    static byte[] of(MD5Digest statement, Probe probe, long timestamp)
    {
        ByteBuf out = Unpooled.buffer();
        out.writeShort(statement.bytes.length).writeBytes(statement.bytes);
        out.writeShort(ConsistencyLevel.ONE.code);
        out.writeByte(VALUES | TIMESTAMP);
        out.writeShort(probe.values.size());
        for (ByteBuffer value : probe.values)
            write(value, out);
        out.writeLong(timestamp);
        return ByteBufUtil.getBytes(out);
    }

    private static void write(ByteBuffer value, ByteBuf out)
    {
        if (value == null)
            out.writeInt(NULL);
        else if (value == ByteBufferUtil.UNSET_BYTE_BUFFER)
            out.writeInt(UNSET);
        else
            out.writeInt(value.remaining()).writeBytes(value.duplicate());
    }
}
