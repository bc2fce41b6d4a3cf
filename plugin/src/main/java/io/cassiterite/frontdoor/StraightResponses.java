/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor;

import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.unix.IovArray;
import io.netty.util.concurrent.FastThreadLocal;

import io.cassiterite.engine.Door;

/**
 * Sends responses to clients of the front door on the event loop itself, where the door lets it: no other thread is woken
 * then. What it does not let is left for the pair of sockets. Used in event loops.
 */
final class StraightResponses
{
    private static final FastThreadLocal<IovArray> PARTS = new FastThreadLocal<>()
    {
        @Override
        protected IovArray initialValue()
        {
            return new IovArray();
        }

        @Override
        protected void onRemoval(IovArray parts)
        {
            parts.release();
        }
    };

    private StraightResponses()
    {
    }

    /** Sends what waits, as far as the door lets it; the rest still waits then. */
    static void send(Door door, long connection, ChannelOutboundBuffer waiting) throws Exception
    {
        IovArray parts = PARTS.get();
        try
        {
            waiting.forEachFlushedMessage(parts);
            if (parts.count() > 0)
                waiting.removeBytes(door.sendStraight(connection, parts.memoryAddress(0), parts.count()));
        }
        finally
        {
            parts.clear();
        }
    }
}
