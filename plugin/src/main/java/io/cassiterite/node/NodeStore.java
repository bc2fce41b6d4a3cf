/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.node;

import java.util.HashMap;
import java.util.Map;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.exceptions.ConfigurationException;

import io.cassiterite.engine.Store;

/** The store of the node: opened for the first table that needs it, closed when the node has drained. Thread-safe. */
public final class NodeStore
{
    private static final Logger logger = LoggerFactory.getLogger(NodeStore.class);

    private static Store store;
    private static Map<String, String> opened;
    /** Why the store has opened in vain, or null: it stays, to be closed with the node. */
    private static String refusal;

    private NodeStore()
    {
    }

    /**
     * The store, opened if it is not yet.
     *
     * @param parameters those of a memtable configuration
     * @throws ConfigurationException if the store was opened with other parameters, lacks tables that it once had, or this is no
     *                                server
     */
    public static synchronized Store get(Map<String, String> parameters)
    {
        if (store != null)
        {
            if (!opened.equals(parameters))
                throw new ConfigurationException(disagreement(opened, parameters));
            return unlessRefused();
        }
        if (!DatabaseDescriptor.isDaemonInitialized())
            throw new ConfigurationException("Cassiterite's store is opened by the server only");
        Map<String, String> options = options(parameters);
        logger.info("Opening Cassiterite's store in {}", options.get(Store.DIRECTORY));
        store = Store.open(options);
        opened = new HashMap<>(parameters);
        IncrementalBackups.followAtStart(store);
        refusal = GuardedNode.life().whyUnusable(store, parameters);
        return unlessRefused();
    }

    private static Store unlessRefused()
    {
        if (refusal != null)
            throw new ConfigurationException(refusal);
        return store;
    }

    /** @return why two memtable configurations cannot both be the engine's */
    public static String disagreement(Map<String, String> one, Map<String, String> other)
    {
        return "a node has one Cassiterite store, but two memtable configurations describe it differently: " + one + " and " + other;
    }

    /** The store if it has been opened, else null. */
    public static synchronized Store getIfOpen()
    {
        return store;
    }

    /** The parameters that the store was opened with, empty if it has not been. */
    public static synchronized Map<String, String> parameters()
    {
        return opened == null ? Map.of() : Map.copyOf(opened);
    }

    /** Idempotent; part of the shutdown. */
    public static synchronized void close()
    {
        if (store == null)
            return;
        logger.info("Closing Cassiterite's store");
        // the reference stays, so that late readers get an error instead of a second store
        store.close();
    }

    /** @return what the store is opened with: the parameters of a memtable configuration, and settings of the node */
    public static Map<String, String> options(Map<String, String> parameters)
    {
        Map<String, String> options = new HashMap<>(parameters);
        options.put(Store.DIRECTORY, StoreDirectory.of(parameters).toString());
        putSyncMode(options);
        options.putIfAbsent(ThroughputLimit.OPTION, ThroughputLimit.text(DatabaseDescriptor.getCompactionThroughputBytesPerSec()));
        return options;
    }

    private static void putSyncMode(Map<String, String> options)
    {
        options.put("node.commitlog_sync", DatabaseDescriptor.getCommitLogSync().name());
        switch (DatabaseDescriptor.getCommitLogSync())
        {
            case periodic:
                options.put("node.commitlog_sync_period", DatabaseDescriptor.getCommitLogSyncPeriod() + "ms");
                options.put("node.periodic_commitlog_sync_lag_block", DatabaseDescriptor.getPeriodicCommitLogSyncBlock() + "ms");
                break;
            case group:
                options.put("node.commitlog_sync_group_window", DatabaseDescriptor.getCommitLogSyncGroupWindow() + "ms");
                break;
            default:
        }
    }
}
