/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.tls;

import java.security.Principal;
import java.security.cert.Certificate;

import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSessionContext;

import io.cassiterite.engine.Door.Secured;

/** What Cassandra may want to know of the TLS of a client that speaks it with the door. Immutable. */
final class DoorSslSession implements SSLSession
{
    private static final int PACKET_BYTES = 16_709;
    private static final int APPLICATION_BYTES = 16_384;
    private static final String NO_CERTIFICATE = "peer not verified";

    private final Secured secured;
    private final long created = System.currentTimeMillis();

    DoorSslSession(Secured secured)
    {
        this.secured = secured;
    }

    @Override
    public String getProtocol()
    {
        return secured.protocol;
    }

    @Override
    public String getCipherSuite()
    {
        return secured.suite;
    }

    /** The door asks for none. */
    @Override
    public Certificate[] getPeerCertificates() throws SSLPeerUnverifiedException
    {
        throw new SSLPeerUnverifiedException(NO_CERTIFICATE);
    }

    /** Java 11 has no body for it. */
    @Override
    @SuppressWarnings({ "deprecation", "removal" })
    public javax.security.cert.X509Certificate[] getPeerCertificateChain() throws SSLPeerUnverifiedException
    {
        throw new SSLPeerUnverifiedException(NO_CERTIFICATE);
    }

    @Override
    public Principal getPeerPrincipal() throws SSLPeerUnverifiedException
    {
        throw new SSLPeerUnverifiedException(NO_CERTIFICATE);
    }

    @Override
    public byte[] getId()
    {
        return new byte[0];
    }

    @Override
    public SSLSessionContext getSessionContext()
    {
        return null;
    }

    @Override
    public long getCreationTime()
    {
        return created;
    }

    @Override
    public long getLastAccessedTime()
    {
        return created;
    }

    @Override
    public void invalidate()
    {
        // nobody resumes it
    }

    @Override
    public boolean isValid()
    {
        return false;
    }

    @Override
    public void putValue(String name, Object value)
    {
        throw new UnsupportedOperationException();
    }

    @Override
    public Object getValue(String name)
    {
        return null;
    }

    @Override
    public void removeValue(String name)
    {
        // there is none
    }

    @Override
    public String[] getValueNames()
    {
        return new String[0];
    }

    @Override
    public Certificate[] getLocalCertificates()
    {
        return null;
    }

    @Override
    public Principal getLocalPrincipal()
    {
        return null;
    }

    @Override
    public String getPeerHost()
    {
        return null;
    }

    @Override
    public int getPeerPort()
    {
        return -1;
    }

    @Override
    public int getPacketBufferSize()
    {
        return PACKET_BYTES;
    }

    @Override
    public int getApplicationBufferSize()
    {
        return APPLICATION_BYTES;
    }
}
