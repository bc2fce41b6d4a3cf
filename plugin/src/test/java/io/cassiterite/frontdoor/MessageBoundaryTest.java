/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.net.BufferPoolAllocator;
import org.apache.cassandra.net.FrameDecoderCrc;
import org.apache.cassandra.net.GlobalBufferPoolAllocator;
import org.apache.cassandra.transport.Envelope;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Whether Cassandra's decoders have a part of a message; the node tests have version 5, whose handlers need a node. */
class MessageBoundaryTest
{
    /** OPTIONS, without a body. */
    private static final byte[] OPTIONS = { 4, 0, 0, 1, 5, 0, 0, 0, 0 };
    /** A QUERY with more bytes than any node takes. */
    private static final byte[] TOO_LONG = { 4, 0, 0, 1, 7, 0x70, 0, 0, 0 };

    @BeforeAll
    static void settings()
    {
        DatabaseDescriptor.clientInitialization(false);
    }

    @Test
    void envelopesEndWhereTheirHeadersSay()
    {
        EmbeddedChannel channel = new EmbeddedChannel(new Envelope.Decoder());
        assertTrue(MessageBoundary.isReached(channel));
        for (int cut = 1; cut < OPTIONS.length; cut++)
        {
            channel.writeInbound(Unpooled.copiedBuffer(OPTIONS, 0, cut));
            assertFalse(MessageBoundary.isReached(channel));
            channel.writeInbound(Unpooled.copiedBuffer(OPTIONS, cut, OPTIONS.length - cut));
            assertTrue(MessageBoundary.isReached(channel));
        }
    }

    @Test
    void anEnvelopeThatIsDiscardedHasNoEndYet()
    {
        EmbeddedChannel channel = new EmbeddedChannel(new Envelope.Decoder());
        channel.writeInbound(Unpooled.copiedBuffer(TOO_LONG));
        assertFalse(MessageBoundary.isReached(channel));
    }

    @Test
    void unsentBytesAreHalfAResponse()
    {
        EmbeddedChannel channel = new EmbeddedChannel(new Envelope.Decoder());
        channel.write(Unpooled.copiedBuffer(OPTIONS));
        assertFalse(MessageBoundary.isReached(channel));
        channel.flush();
        assertTrue(MessageBoundary.isReached(channel));
    }

    @Test
    void anUnknownPipelineIsNotAskedFor()
    {
        assertFalse(MessageBoundary.isReached(new EmbeddedChannel()));
        BufferPoolAllocator allocator = GlobalBufferPoolAllocator.instance;
        assertFalse(MessageBoundary.isReached(new EmbeddedChannel(FrameDecoderCrc.create(allocator))), "it is not active");
    }
}
