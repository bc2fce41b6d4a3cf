/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import io.netty.channel.Channel;

/**
 * The open connections that came through the front door, by the numbers that it gave them; also those that have left it.
 * Thread-safe.
 */
public final class ClientConnections
{
    private final ConcurrentMap<Long, Channel> channels = new ConcurrentHashMap<>();

    /** @param channel Cassandra's side of the connection, which is forgotten when it closes */
    public void add(long number, Channel channel)
    {
        channels.put(number, channel);
        channel.closeFuture().addListener(closed -> channels.remove(number, channel));
    }

    /** @return null if the connection is closed */
    public Channel channel(long number)
    {
        return channels.get(number);
    }

    /** @return null if the connection is closed */
    ClientConnection find(long number)
    {
        Channel channel = channel(number);
        return channel == null ? null : new TransportConnection(channel);
    }

    int count()
    {
        return channels.size();
    }
}
