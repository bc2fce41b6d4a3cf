/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.net.InetAddress;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What Cassandra's permissions depend on: a role, at a client's address. All connections that have these share a login.
 * Thread-safe.
 */
final class Login
{
    final int number;
    final Key key;
    private final Set<ClientConnection> connections = ConcurrentHashMap.newKeySet();

    Login(int number, Key key)
    {
        this.number = number;
        this.key = key;
    }

    void add(ClientConnection connection)
    {
        connections.add(connection);
    }

    /** @return a connection of this login, null if all have closed */
    ClientConnection connection()
    {
        for (ClientConnection connection : connections)
        {
            if (connection.isOpen())
                return connection;
            connections.remove(connection);
        }
        return null;
    }

    /** What makes two connections the same login. */
    static final class Key
    {
        final String role;
        final InetAddress address;
        /** Cassandra can refuse older versions of the protocol at any time. */
        final boolean olderProtocol;

        Key(ClientConnection connection)
        {
            role = connection.role();
            address = connection.address();
            olderProtocol = connection.hasOlderProtocol();
        }

        @Override
        public boolean equals(Object other)
        {
            return other instanceof Key && role.equals(((Key) other).role) && address.equals(((Key) other).address)
                   && olderProtocol == ((Key) other).olderProtocol;
        }

        @Override
        public int hashCode()
        {
            return Objects.hash(role, address, olderProtocol);
        }
    }
}
