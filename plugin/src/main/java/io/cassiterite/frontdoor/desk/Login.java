/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.net.InetAddress;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What Cassandra's decisions depend on: a role, at a client's address, in a keyspace. All connections that have these
 * share a login. Thread-safe.
 */
final class Login
{
    final int number;
    final Key key;
    private final Map<Long, ClientConnection> connections = new ConcurrentHashMap<>();

    Login(int number, Key key)
    {
        this.number = number;
        this.key = key;
    }

    void add(long connectionNumber, ClientConnection connection)
    {
        connections.put(connectionNumber, connection);
    }

    void remove(long connectionNumber)
    {
        connections.remove(connectionNumber);
    }

    /** @return a connection of this login, null if all have closed, or are in another keyspace */
    ClientConnection connection()
    {
        for (ClientConnection connection : connections.values())
            if (isOf(connection))
                return connection;
        return null;
    }

    /** Forgets connections that have closed, or are in another keyspace. @return whether none is left */
    boolean forgetOthers()
    {
        connections.values().removeIf(connection -> !isOf(connection));
        return connections.isEmpty();
    }

    /** @return of how many connections something is kept */
    int count()
    {
        return connections.size();
    }

    private boolean isOf(ClientConnection connection)
    {
        return connection.isOpen() && key.equals(new Key(connection));
    }

    /** What makes two connections the same login. */
    static final class Key
    {
        final String role;
        final InetAddress address;
        /** Null if the connection is in none. */
        final String keyspace;
        /** Cassandra can refuse older versions of the protocol at any time. */
        final boolean olderProtocol;

        Key(ClientConnection connection)
        {
            role = connection.role();
            address = connection.address();
            keyspace = connection.keyspace();
            olderProtocol = connection.hasOlderProtocol();
        }

        @Override
        public boolean equals(Object other)
        {
            if (!(other instanceof Key))
                return false;
            Key key = (Key) other;
            return role.equals(key.role) && address.equals(key.address) && Objects.equals(keyspace, key.keyspace)
                   && olderProtocol == key.olderProtocol;
        }

        @Override
        public int hashCode()
        {
            return Objects.hash(role, address, keyspace, olderProtocol);
        }
    }
}
