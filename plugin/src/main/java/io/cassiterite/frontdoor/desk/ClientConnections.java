/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
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
    private final Set<Long> left = ConcurrentHashMap.newKeySet();

    /** @param channel Cassandra's side of the connection, which is forgotten when it closes */
    public void add(long number, Channel channel)
    {
        channels.put(number, channel);
        channel.closeFuture().addListener(closed -> {
            channels.remove(number, channel);
            left.remove(number);
        });
    }

    /** A connection of an open channel has its client's own socket from now on; it gets nothing from the door any more. */
    public void left(long number)
    {
        left.add(number);
    }

    /** It is at the door again. */
    public void cameBack(long number)
    {
        left.remove(number);
    }

    /** @return null if the connection is closed */
    public Channel channel(long number)
    {
        return channels.get(number);
    }

    /** @return what the client's STARTUP says; none before that, nor of a connection that is closed */
    public Optional<Map<String, String>> startup(long number)
    {
        Channel channel = channel(number);
        return channel == null ? Optional.empty() : new TransportConnection(channel).startup();
    }

    /** @return null if the connection is closed */
    ClientConnection find(long number)
    {
        Channel channel = channel(number);
        return channel == null ? null : new TransportConnection(channel);
    }

    /** @return null if the connection is closed, or has left the door */
    ClientConnection atDoor(long number)
    {
        return left.contains(number) ? null : find(number);
    }

    int count()
    {
        return channels.size();
    }
}
