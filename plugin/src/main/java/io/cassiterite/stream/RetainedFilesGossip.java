/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Base64;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.concurrent.NamedThreadFactory;
import org.apache.cassandra.gms.ApplicationState;
import org.apache.cassandra.gms.EndpointState;
import org.apache.cassandra.gms.Gossiper;
import org.apache.cassandra.gms.VersionedValue;
import org.apache.cassandra.locator.InetAddressAndPort;
import org.apache.cassandra.service.StorageService;
import org.apache.cassandra.utils.FBUtilities;

import io.cassiterite.engine.BackgroundWork;
import io.cassiterite.node.PluginGossip;

/** The retained files of a node in gossip: {@code retained/1:BASE64} of their keys. Thread-safe. */
final class RetainedFilesGossip
{
    private static final Logger logger = LoggerFactory.getLogger(RetainedFilesGossip.class);

    /** The largest number of keys: 11 KiB of gossip. */
    static final int LIMIT = 1024;

    private static final ApplicationState STATE = ApplicationState.X8;
    private static final String PREFIX = "retained/1:";

    /**
     * The gossiper and its subscribers take locks, while callers that change the retained files hold monitors of
     * Cassandra and of this package. A single thread publishes the last state last.
     */
    private static final ThreadPoolExecutor EXECUTOR = executor();

    private RetainedFilesGossip()
    {
    }

    private static ThreadPoolExecutor executor()
    {
        ThreadPoolExecutor executor = new ThreadPoolExecutor(1, 1, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
                                                             new NamedThreadFactory("cassiterite-retained-files-gossip"));
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    /** Returns at once; another thread gets the keys and publishes them. */
    static void publish(Supplier<Collection<Long>> keys)
    {
        EXECUTOR.execute(() -> BackgroundWork.attempt("Publishing by gossip which files are retained", () -> publishNow(keys)));
    }

    private static void publishNow(Supplier<Collection<Long>> keys)
    {
        if (PluginGossip.isGossiperInitialized())
            setState(keys.get());
    }

    private static void setState(Collection<Long> keys)
    {
        EndpointState local = Gossiper.instance.getEndpointStateForEndpoint(FBUtilities.getBroadcastAddressAndPort());
        if (local == null)
            return;
        VersionedValue published = local.getApplicationState(STATE);
        String value = encode(keys);
        if (published == null ? !keys.isEmpty() : !published.value.equals(value))
            Gossiper.instance.addLocalApplicationState(STATE, StorageService.instance.valueFactory.datacenter(value));
    }

    static Set<Long> of(InetAddressAndPort peer)
    {
        EndpointState state = Gossiper.instance.getEndpointStateForEndpoint(peer);
        VersionedValue published = state == null ? null : state.getApplicationState(STATE);
        return published == null ? Set.of() : decode(published.value);
    }

    static String encode(Collection<Long> keys)
    {
        ByteBuffer bytes = ByteBuffer.allocate(keys.size() * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        keys.forEach(bytes::putLong);
        return PREFIX + Base64.getEncoder().encodeToString(bytes.array());
    }

    /** @return no keys if other software uses the state, or a later version does */
    static Set<Long> decode(String value)
    {
        Set<Long> keys = new HashSet<>();
        if (!value.startsWith(PREFIX))
            return keys;
        try
        {
            ByteBuffer bytes = ByteBuffer.wrap(Base64.getDecoder().decode(value.substring(PREFIX.length()))).order(ByteOrder.LITTLE_ENDIAN);
            while (bytes.remaining() >= Long.BYTES)
                keys.add(bytes.getLong());
        }
        catch (IllegalArgumentException e)
        {
            logger.warn("A peer publishes its retained files in an unknown form: {}", value);
        }
        return keys;
    }
}
