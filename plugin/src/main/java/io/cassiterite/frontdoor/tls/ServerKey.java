/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.tls;

import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPrivateKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.X509KeyManager;

/** The node's private key, and the certificates that it shows. Immutable. */
final class ServerKey
{
    /** Algorithms that the library has, and others that Cassandra's own TLS might choose in their place. */
    private static final List<String> KNOWN = List.of("RSA", "EC");
    private static final List<String> OTHERS = List.of("DSA", "RSASSA-PSS", "EdDSA", "Ed25519", "Ed448");

    final byte[] pkcs8;
    final List<byte[]> chain;

    ServerKey(byte[] pkcs8, List<byte[]> chain)
    {
        this.pkcs8 = pkcs8;
        this.chain = chain;
    }

    /** The one key of a keystore. */
    static ServerKey of(KeyManagerFactory factory) throws TlsObstacleException
    {
        for (KeyManager manager : factory.getKeyManagers())
            if (manager instanceof X509KeyManager)
                return of((X509KeyManager) manager);
        throw new TlsObstacleException(TlsObstacle.KEY);
    }

    private static ServerKey of(X509KeyManager keys) throws TlsObstacleException
    {
        List<String> known = aliases(keys, KNOWN);
        if (known.size() != 1 || !aliases(keys, OTHERS).isEmpty())
            throw new TlsObstacleException(TlsObstacle.KEY);
        PrivateKey key = keys.getPrivateKey(known.get(0));
        X509Certificate[] chain = keys.getCertificateChain(known.get(0));
        if (key == null || chain == null || chain.length == 0)
            throw new TlsObstacleException(TlsObstacle.KEY);
        byte[] pkcs8 = pkcs8(key, chain[0].getPublicKey());
        if (pkcs8 == null)
            throw new TlsObstacleException(TlsObstacle.KEY);
        try
        {
            List<byte[]> shown = new ArrayList<>();
            for (X509Certificate certificate : chain)
                shown.add(certificate.getEncoded());
            return new ServerKey(pkcs8, shown);
        }
        catch (CertificateEncodingException e)
        {
            throw new TlsObstacleException(TlsObstacle.KEY, e.getMessage(), e);
        }
    }

    /** @return null where the key cannot be read, as that of a device, or is of no use to the library */
    static byte[] pkcs8(PrivateKey key, PublicKey shown)
    {
        if (key instanceof ECPrivateKey)
            return EllipticKey.pkcs8((ECPrivateKey) key, shown);
        return "PKCS#8".equals(key.getFormat()) ? key.getEncoded() : null;
    }

    private static List<String> aliases(X509KeyManager keys, List<String> algorithms)
    {
        List<String> aliases = new ArrayList<>();
        for (String algorithm : algorithms)
        {
            String[] found = keys.getServerAliases(algorithm, null);
            if (found != null)
                aliases.addAll(Arrays.asList(found));
        }
        return aliases;
    }
}
