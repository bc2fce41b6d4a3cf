/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.net.InetAddress;
import java.net.UnknownHostException;

import org.apache.cassandra.service.ClientState;

/** A connection without a socket. */
final class FakeConnection implements ClientConnection
{
    final String role;
    final InetAddress address;
    boolean open = true;
    boolean loggedIn = true;
    boolean olderProtocol;
    String keyspace;
    long requests;
    /** How often somebody has looked whether it is open. */
    int looks;

    FakeConnection(String role, String address)
    {
        this.role = role;
        try
        {
            this.address = InetAddress.getByName(address);
        }
        catch (UnknownHostException e)
        {
            throw new IllegalArgumentException(e);
        }
    }

    @Override
    public boolean isOpen()
    {
        looks++;
        return open;
    }

    @Override
    public boolean isLoggedIn()
    {
        return loggedIn;
    }

    @Override
    public String role()
    {
        return role;
    }

    @Override
    public InetAddress address()
    {
        return address;
    }

    @Override
    public boolean hasOlderProtocol()
    {
        return olderProtocol;
    }

    @Override
    public String keyspace()
    {
        return keyspace;
    }

    @Override
    public ClientState state()
    {
        throw new UnsupportedOperationException("the test decides itself");
    }

    @Override
    public void served(long more)
    {
        requests += more;
    }
}
