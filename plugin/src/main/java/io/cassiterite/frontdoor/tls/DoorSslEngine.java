/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.tls;

import java.nio.ByteBuffer;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLSession;

/** An engine that has a session, and encrypts nothing: the door does. Thread-safe. */
final class DoorSslEngine extends SSLEngine
{
    private final DoorSslSession session;

    DoorSslEngine(DoorSslSession session)
    {
        this.session = session;
    }

    private static UnsupportedOperationException refusal()
    {
        return new UnsupportedOperationException("the front door encrypts what this client sends and gets");
    }

    @Override
    public SSLSession getSession()
    {
        return session;
    }

    @Override
    public SSLEngineResult wrap(ByteBuffer[] sources, int offset, int length, ByteBuffer target)
    {
        throw refusal();
    }

    @Override
    public SSLEngineResult unwrap(ByteBuffer source, ByteBuffer[] targets, int offset, int length)
    {
        throw refusal();
    }

    @Override
    public Runnable getDelegatedTask()
    {
        return null;
    }

    @Override
    public void closeInbound()
    {
        // the door does
    }

    @Override
    public boolean isInboundDone()
    {
        return false;
    }

    @Override
    public void closeOutbound()
    {
        // the door does
    }

    @Override
    public boolean isOutboundDone()
    {
        return false;
    }

    @Override
    public String[] getSupportedCipherSuites()
    {
        return getEnabledCipherSuites();
    }

    @Override
    public String[] getEnabledCipherSuites()
    {
        return new String[]{ session.getCipherSuite() };
    }

    @Override
    public void setEnabledCipherSuites(String[] suites)
    {
        throw refusal();
    }

    @Override
    public String[] getSupportedProtocols()
    {
        return getEnabledProtocols();
    }

    @Override
    public String[] getEnabledProtocols()
    {
        return new String[]{ session.getProtocol() };
    }

    @Override
    public void setEnabledProtocols(String[] protocols)
    {
        throw refusal();
    }

    @Override
    public void beginHandshake()
    {
        throw refusal();
    }

    @Override
    public HandshakeStatus getHandshakeStatus()
    {
        return HandshakeStatus.NOT_HANDSHAKING;
    }

    @Override
    public void setUseClientMode(boolean mode)
    {
        if (mode)
            throw refusal();
    }

    @Override
    public boolean getUseClientMode()
    {
        return false;
    }

    @Override
    public void setNeedClientAuth(boolean need)
    {
        if (need)
            throw refusal();
    }

    @Override
    public boolean getNeedClientAuth()
    {
        return false;
    }

    @Override
    public void setWantClientAuth(boolean want)
    {
        if (want)
            throw refusal();
    }

    @Override
    public boolean getWantClientAuth()
    {
        return false;
    }

    @Override
    public void setEnableSessionCreation(boolean flag)
    {
        // none is created
    }

    @Override
    public boolean getEnableSessionCreation()
    {
        return false;
    }
}
