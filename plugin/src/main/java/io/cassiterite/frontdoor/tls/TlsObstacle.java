/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.tls;

/** Why Netty has the TLS of all clients though the front door is to have it. */
enum TlsObstacle
{
    CLIENT_AUTH("client_encryption_options has require_client_auth: the door asks clients for no certificate"),
    ENDPOINT_VERIFICATION("client_encryption_options has require_endpoint_verification"),
    FACTORY("the ssl_context_factory is neither Cassandra's default nor its one of PEM files"),
    PROVIDER("Netty's TLS is not BoringSSL's, so that the door does not know what that would agree on"),
    PROTOCOLS("neither TLSv1.2 nor TLSv1.3 is accepted"),
    KEY("the keystore has not exactly one private key, of RSA or of an elliptic curve, that can be read"),
    LIBRARY("the native library cannot use the key or the cipher suites"),
    STORES("the keystore or the truststore cannot be read");

    private final String reason;

    TlsObstacle(String reason)
    {
        this.reason = reason;
    }

    /** @return for people */
    String reason()
    {
        return reason;
    }
}
