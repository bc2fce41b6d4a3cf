/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.tls;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLEngine;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.OpenSslContext;
import io.netty.handler.ssl.SslContext;
import io.netty.util.ReferenceCountUtil;

import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.config.EncryptionOptions;
import org.apache.cassandra.config.EncryptionOptions.TlsEncryptionPolicy;
import org.apache.cassandra.security.DefaultSslContextFactory;
import org.apache.cassandra.security.ISslContextFactory;
import org.apache.cassandra.security.PEMBasedSslContextFactory;
import org.apache.cassandra.security.SSLFactory;
import org.apache.cassandra.transport.PipelineConfigurator;

import static io.cassiterite.reflect.PrivateMember.SSL_KEYS;

/** What Cassandra's own transport meets clients with that speak TLS: client_encryption_options. */
final class ClientEncryption
{
    private static final String BORING_SSL = "BoringSSL";

    private ClientEncryption()
    {
    }

    /** Whether any client may speak TLS. */
    static boolean isOn()
    {
        return options().tlsEncryptionPolicy() != TlsEncryptionPolicy.UNENCRYPTED;
    }

    /** That of new connections, which is another one after the stores have changed. */
    static SslContext context() throws IOException
    {
        EncryptionOptions options = options();
        return SSLFactory.getOrCreateSslContext(options, options.require_client_auth, ISslContextFactory.SocketType.SERVER,
                                                PipelineConfigurator.SSL_FACTORY_CONTEXT_DESCRIPTION);
    }

    /** What the door has to do as that context would. */
    static TlsTerms terms(SslContext context) throws TlsObstacleException
    {
        EncryptionOptions options = options();
        ISslContextFactory factory = options.sslContextFactoryInstance;
        if (options.require_client_auth)
            throw new TlsObstacleException(TlsObstacle.CLIENT_AUTH);
        if (options.require_endpoint_verification)
            throw new TlsObstacleException(TlsObstacle.ENDPOINT_VERIFICATION);
        // Not one that is derived of them.
        if (factory.getClass() != DefaultSslContextFactory.class && factory.getClass() != PEMBasedSslContextFactory.class)
            throw new TlsObstacleException(TlsObstacle.FACTORY);
        if (!(context instanceof OpenSslContext) || !BORING_SSL.equals(OpenSsl.versionString()))
            throw new TlsObstacleException(TlsObstacle.PROVIDER);
        return terms(context, factory);
    }

    private static TlsTerms terms(SslContext context, ISslContextFactory factory) throws TlsObstacleException
    {
        SSLEngine engine = context.newEngine(ByteBufAllocator.DEFAULT);
        try
        {
            List<String> protocols = Arrays.asList(engine.getEnabledProtocols());
            if (!protocols.contains(TlsTerms.TLS_1_2) && !protocols.contains(TlsTerms.TLS_1_3))
                throw new TlsObstacleException(TlsObstacle.PROTOCOLS);
            return new TlsTerms(protocols, Arrays.asList(engine.getEnabledCipherSuites()), key(factory));
        }
        finally
        {
            ReferenceCountUtil.release(engine);
        }
    }

    private static ServerKey key(ISslContextFactory factory) throws TlsObstacleException
    {
        KeyManagerFactory keys;
        try
        {
            keys = (KeyManagerFactory) SSL_KEYS.invoke(factory);
        }
        catch (IllegalStateException e)
        {
            throw new TlsObstacleException(TlsObstacle.STORES, e.getMessage(), e);
        }
        return ServerKey.of(keys);
    }

    private static EncryptionOptions options()
    {
        return DatabaseDescriptor.getNativeProtocolEncryptionOptions();
    }
}
