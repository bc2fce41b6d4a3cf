/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;

/** What a client and a port agree on, or why they do not. */
final class TlsClient
{
    private static final int PATIENCE_MILLIS = 60_000;

    /** What a client offers; null is what the JDK has by default. */
    static final class Offer
    {
        final String[] protocols;
        final String[] suites;

        Offer(List<String> protocols, List<String> suites)
        {
            this.protocols = protocols.toArray(new String[0]);
            this.suites = suites == null ? null : suites.toArray(new String[0]);
        }

        @Override
        public String toString()
        {
            return Arrays.toString(protocols) + ' ' + (suites == null ? "all suites" : Arrays.toString(suites));
        }
    }

    private TlsClient()
    {
    }

    /** @return version, suite and certificates; or what the handshake has failed of */
    static String agreed(InetSocketAddress node, SSLContext trust, Offer offer) throws IOException
    {
        try (SSLSocket socket = (SSLSocket) trust.getSocketFactory().createSocket(node.getAddress(), node.getPort()))
        {
            socket.setSoTimeout(PATIENCE_MILLIS);
            socket.setEnabledProtocols(offer.protocols);
            if (offer.suites != null)
                socket.setEnabledCipherSuites(offer.suites);
            socket.startHandshake();
            return socket.getSession().getProtocol() + ' ' + socket.getSession().getCipherSuite() + ' '
                   + Arrays.hashCode(socket.getSession().getPeerCertificates());
        }
        catch (SSLException e)
        {
            return e.getMessage();
        }
    }
}
