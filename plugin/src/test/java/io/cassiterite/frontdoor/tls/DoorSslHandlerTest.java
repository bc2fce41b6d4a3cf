/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.tls;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLPeerUnverifiedException;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.SslHandler;
import org.junit.jupiter.api.Test;

import io.cassiterite.engine.Door.Secured;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

/** Cassandra finds in the pipeline what it looks for, and its bytes pass. */
class DoorSslHandlerTest
{
    private static final Secured SECURED = new Secured("TLSv1.3", "TLS_AES_128_GCM_SHA256");

    private static EmbeddedChannel channel()
    {
        EmbeddedChannel channel = new EmbeddedChannel();
        channel.pipeline().addFirst(DoorSslHandler.NAME, new DoorSslHandler(SECURED));
        return channel;
    }

    @Test
    void whatPassesStaysAsItIs()
    {
        EmbeddedChannel channel = channel();
        ByteBuf request = Unpooled.wrappedBuffer(new byte[]{ 5, 0, 0 });
        channel.writeInbound(request);
        assertSame(request, channel.readInbound());
        ByteBuf response = Unpooled.wrappedBuffer(new byte[]{ 22, 3, 1 });
        channel.writeOutbound(response);
        assertSame(response, channel.readOutbound());
        channel.close();
        assertFalse(channel.isOpen());
    }

    @Test
    void itsSessionIsThatOfTheDoor()
    {
        SSLEngine engine = channel().pipeline().get(SslHandler.class).engine();
        assertEquals("TLSv1.3", engine.getSession().getProtocol());
        assertEquals("TLS_AES_128_GCM_SHA256", engine.getSession().getCipherSuite());
        assertThrows(SSLPeerUnverifiedException.class, () -> engine.getSession().getPeerCertificates());
        assertThrows(UnsupportedOperationException.class, engine::beginHandshake);
    }

    @Test
    void itLeavesAsItCame()
    {
        EmbeddedChannel channel = channel();
        channel.pipeline().remove(DoorSslHandler.NAME);
        ByteBuf bytes = Unpooled.wrappedBuffer(new byte[]{ 1 });
        channel.writeInbound(bytes);
        assertSame(bytes, channel.readInbound());
    }
}
