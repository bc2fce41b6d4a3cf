/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPipeline;

import org.apache.cassandra.net.FrameDecoder;
import org.apache.cassandra.transport.CQLMessageHandler;
import org.apache.cassandra.transport.Envelope;

import static io.cassiterite.reflect.PrivateMember.DECODER_CUMULATION;
import static io.cassiterite.reflect.PrivateMember.DISCARDED_ENVELOPE;
import static io.cassiterite.reflect.PrivateMember.FRAME_STASH;
import static io.cassiterite.reflect.PrivateMember.LARGE_MESSAGE;

/**
 * Whether a channel of Cassandra's native transport is between two messages. Cassandra's decoders keep what they have of a
 * message, in private members. To be asked in the channel's event loop.
 */
final class MessageBoundary
{
    private MessageBoundary()
    {
    }

    /**
     * @return true if all that was read from the channel is whole frames, or whole envelopes before version 5, and all that
     *         was written to it is sent; false if the channel's pipeline is an unknown one
     */
    static boolean isReached(Channel channel)
    {
        return isWritten(channel.unsafe().outboundBuffer()) && isRead(channel.pipeline());
    }

    private static boolean isWritten(ChannelOutboundBuffer waiting)
    {
        return waiting != null && waiting.isEmpty() && waiting.totalPendingWriteBytes() == 0;
    }

    private static boolean isRead(ChannelPipeline pipeline)
    {
        FrameDecoder frames = pipeline.get(FrameDecoder.class);
        if (frames == null)
            return isRead(pipeline.get(Envelope.Decoder.class));
        CQLMessageHandler<?> messages = pipeline.get(CQLMessageHandler.class);
        // An inactive decoder has frames that nobody has looked at, which may be parts of a message.
        return frames.isActive() && FRAME_STASH.get(frames) == null && messages != null && LARGE_MESSAGE.get(messages) == null;
    }

    private static boolean isRead(Envelope.Decoder envelopes)
    {
        if (envelopes == null || (boolean) DISCARDED_ENVELOPE.get(envelopes))
            return false;
        ByteBuf begun = (ByteBuf) DECODER_CUMULATION.get(envelopes);
        return begun == null || !begun.isReadable();
    }
}
