/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.util.concurrent.FastThreadLocal;

import io.cassiterite.engine.Door;

/**
 * Sends Cassandra's responses straight to a client's socket, past the pair, where the door allows it. That spares a wake-up
 * of the door's thread for each response. For one channel, in its event loop.
 */
final class ResponseSender
{
    /** The door takes no more at a time. */
    private static final int MAX_BYTES = 64 << 10;

    private static final FastThreadLocal<ByteBuf> GATHERED = new FastThreadLocal<>()
    {
        @Override
        protected ByteBuf initialValue()
        {
            return Unpooled.directBuffer(MAX_BYTES, MAX_BYTES);
        }
    };

    private final Door door;
    private final long connection;

    ResponseSender(Door door, long connection)
    {
        this.door = door;
        this.connection = connection;
    }

    /** Sends as much of what waits as may go past the pair; the rest is to go there. */
    void send(ChannelOutboundBuffer waiting) throws Exception
    {
        while (!waiting.isEmpty())
        {
            ByteBuf next = next(waiting);
            int bytes = next.readableBytes();
            if (bytes == 0 || bytes > MAX_BYTES || !next.hasMemoryAddress())
                return;
            if (!door.send(connection, next.memoryAddress() + next.readerIndex(), bytes))
                return;
            waiting.removeBytes(bytes);
        }
    }

    /** The only message as it is; copies of several, which leave together. */
    private static ByteBuf next(ChannelOutboundBuffer waiting) throws Exception
    {
        if (waiting.size() == 1 && waiting.current() instanceof ByteBuf)
            return (ByteBuf) waiting.current();
        ByteBuf gathered = GATHERED.get().clear();
        waiting.forEachFlushedMessage(message -> gather(message, gathered));
        return gathered;
    }

    /** @return whether another message is wanted */
    private static boolean gather(Object message, ByteBuf gathered)
    {
        if (!(message instanceof ByteBuf))
            return false;
        ByteBuf bytes = (ByteBuf) message;
        if (bytes.readableBytes() > gathered.writableBytes())
            return false;
        gathered.writeBytes(bytes, bytes.readerIndex(), bytes.readableBytes());
        return true;
    }
}
