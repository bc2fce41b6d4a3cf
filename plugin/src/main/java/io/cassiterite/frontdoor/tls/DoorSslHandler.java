/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.tls;

import java.net.SocketAddress;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.ssl.SslHandler;

import io.cassiterite.engine.Door.Secured;

/**
 * Stands in the pipeline of a client that speaks TLS with the door, where Cassandra looks for the handler that does: by its
 * name, or its class. Passes everything on as it is.
 */
public final class DoorSslHandler extends SslHandler
{
    /** By which Cassandra's ServerConnection finds it. */
    public static final String NAME = "ssl";

    public DoorSslHandler(Secured secured)
    {
        super(new DoorSslEngine(new DoorSslSession(secured)));
    }

    /** There is no handshake to begin. */
    @Override
    public void handlerAdded(ChannelHandlerContext context)
    {
        // nothing waits here
    }

    @Override
    public void handlerRemoved0(ChannelHandlerContext context)
    {
        // nothing waited here
    }

    @Override
    public void channelRegistered(ChannelHandlerContext context)
    {
        context.fireChannelRegistered();
    }

    @Override
    public void channelUnregistered(ChannelHandlerContext context)
    {
        context.fireChannelUnregistered();
    }

    @Override
    public void channelActive(ChannelHandlerContext context)
    {
        context.fireChannelActive();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context)
    {
        context.fireChannelInactive();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message)
    {
        context.fireChannelRead(message);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context)
    {
        context.fireChannelReadComplete();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event)
    {
        context.fireUserEventTriggered(event);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context)
    {
        context.fireChannelWritabilityChanged();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause)
    {
        context.fireExceptionCaught(cause);
    }

    @Override
    public void bind(ChannelHandlerContext context, SocketAddress local, ChannelPromise promise)
    {
        context.bind(local, promise);
    }

    @Override
    public void connect(ChannelHandlerContext context, SocketAddress remote, SocketAddress local, ChannelPromise promise)
    {
        context.connect(remote, local, promise);
    }

    @Override
    public void disconnect(ChannelHandlerContext context, ChannelPromise promise)
    {
        context.disconnect(promise);
    }

    @Override
    public void close(ChannelHandlerContext context, ChannelPromise promise)
    {
        context.close(promise);
    }

    @Override
    public void deregister(ChannelHandlerContext context, ChannelPromise promise)
    {
        context.deregister(promise);
    }

    @Override
    public void read(ChannelHandlerContext context)
    {
        context.read();
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise)
    {
        context.write(message, promise);
    }

    @Override
    public void flush(ChannelHandlerContext context)
    {
        context.flush();
    }
}
