/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.tls;

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.interfaces.ECPrivateKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.cassiterite.engine.Door;
import io.cassiterite.engine.EngineException;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What Java has of a key is of use to the library. */
class ServerKeyTest
{
    private static final List<String> PROTOCOLS = List.of("SSLv2Hello", "TLSv1.3", "TLSv1.2");
    private static final List<String> SUITES = List.of("TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "TLS_RSA_WITH_AES_128_CBC_SHA",
                                                       "TLS_AES_128_GCM_SHA256");

    private static KeyPair elliptic(String curve) throws GeneralSecurityException
    {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec(curve));
        return generator.generateKeyPair();
    }

    private static byte[] terms(byte[] key, List<String> suites)
    {
        return new TlsTerms(PROTOCOLS, suites, new ServerKey(key, List.of(new byte[]{ 1, 2, 3 }))).encode();
    }

    private static void accept(byte[] terms)
    {
        Door door = Door.open(1);
        try
        {
            door.setTls(terms);
            door.setTls(null);
        }
        finally
        {
            door.close();
        }
    }

    /** Numbers that begin with zeros have fewer bytes in Java. */
    @ParameterizedTest
    @ValueSource(strings = { "secp256r1", "secp384r1" })
    void ellipticKeysHaveTheirPublicKey(String curve) throws GeneralSecurityException
    {
        for (int i = 0; i < 300; i++)
        {
            KeyPair pair = elliptic(curve);
            byte[] pkcs8 = ServerKey.pkcs8(pair.getPrivate(), pair.getPublic());
            ECPrivateKey read = (ECPrivateKey) KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
            assertEquals(((ECPrivateKey) pair.getPrivate()).getS(), read.getS());
            if (i < 3)
                accept(terms(pkcs8, SUITES));
        }
    }

    @Test
    void rsaKeysAreTaken() throws GeneralSecurityException
    {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(2048);
        KeyPair pair = generator.generateKeyPair();
        accept(terms(ServerKey.pkcs8(pair.getPrivate(), pair.getPublic()), SUITES));
    }

    @Test
    void whatTheLibraryLacksIsRefusedWithTheReason() throws GeneralSecurityException
    {
        KeyPair large = elliptic("secp521r1");
        assertNull(ServerKey.pkcs8(large.getPrivate(), large.getPublic()));
        KeyPair pair = elliptic("secp256r1");
        byte[] odd = terms(ServerKey.pkcs8(pair.getPrivate(), pair.getPublic()), List.of("TLS_ROT13"));
        EngineException refusal = assertThrows(EngineException.class, () -> accept(odd));
        assertTrue(refusal.getMessage().contains("TLS_ROT13"), refusal::getMessage);
    }
}
