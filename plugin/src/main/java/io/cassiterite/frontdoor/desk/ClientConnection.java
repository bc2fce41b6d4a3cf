/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.net.InetAddress;

import org.apache.cassandra.service.ClientState;

/** A connection of Cassandra's native transport that came through the front door. Thread-safe. */
interface ClientConnection
{
    boolean isOpen();

    /** @return false until Cassandra has logged its client in */
    boolean isLoggedIn();

    /** Of a connection that is logged in. */
    String role();

    InetAddress address();

    /** @return true if Cassandra may be told to refuse its protocol version */
    boolean hasOlderProtocol();

    /** @return the keyspace that it is in now, null if it is in none */
    String keyspace();

    ClientState state();

    /** The door has answered requests of it, which Cassandra has not seen. */
    void served(long requests);
}
