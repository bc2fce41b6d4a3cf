/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.lifecycle;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.exceptions.ConfigurationException;
import org.apache.cassandra.schema.TableMetadata;

import io.cassiterite.engine.Store;
import io.cassiterite.observe.StoreReport;

/** The store of the node: opened for the first table that needs it, closed when the node has drained. Thread-safe. */
public final class NodeStore
{
    private static final Logger logger = LoggerFactory.getLogger(NodeStore.class);

    private static Store store;
    private static Map<String, String> opened;
    /** Ids of the tables that the store had when it was first asked. */
    private static Set<String> found;

    private NodeStore()
    {
    }

    /**
     * The store, opened if it is not yet.
     *
     * @param parameters those of a memtable configuration
     * @throws ConfigurationException if the store was opened with other parameters, or this is no server
     */
    public static synchronized Store get(Map<String, String> parameters)
    {
        if (store != null)
        {
            if (!opened.equals(parameters))
                throw new ConfigurationException(disagreement(opened, parameters));
            return store;
        }
        if (!DatabaseDescriptor.isDaemonInitialized())
            throw new ConfigurationException("Cassiterite's store is opened by the server only");
        Map<String, String> options = options(parameters);
        logger.info("Opening Cassiterite's store in {}", options.get(Store.DIRECTORY));
        store = Store.open(options);
        opened = new HashMap<>(parameters);
        return store;
    }

    /**
     * Of a table whose marker tells that this store has it.
     *
     * @throws ConfigurationException if the store does not know it, and so is older than the marker
     */
    public static synchronized void checkHas(TableMetadata table)
    {
        if (found == null)
            found = StoreReport.parse(store.report("tables")).rows.stream()
                               .map(row -> row.get("table_id")).collect(Collectors.toSet());
        if (!found.contains(table.id.toString()))
            throw new ConfigurationException(
                String.format("the store %s does not know table %s with the id %s, though it once had it: the store is older than " +
                              "the data directories, as after a restore of only one of them. Restore both of one time. To give up " +
                              "the rows of the table, delete %s in its folder",
                              store.directory(), table, table.id, TableMarker.FILE_NAME));
    }

    /** @return why two memtable configurations cannot both be the engine's */
    static String disagreement(Map<String, String> one, Map<String, String> other)
    {
        return "a node has one Cassiterite store, but two memtable configurations describe it differently: " + one + " and " + other;
    }

    /** The store if it has been opened, else null. */
    public static synchronized Store getIfOpen()
    {
        return store;
    }

    /** The parameters that the store was opened with, empty if it has not been. */
    static synchronized Map<String, String> parameters()
    {
        return opened == null ? Map.of() : Map.copyOf(opened);
    }

    /** Idempotent; part of the shutdown. */
    static synchronized void close()
    {
        if (store == null)
            return;
        logger.info("Closing Cassiterite's store");
        // the reference stays, so that late readers get an error instead of a second store
        store.close();
    }

    /** @return what the store is opened with: the parameters of a memtable configuration, and settings of the node */
    static Map<String, String> options(Map<String, String> parameters)
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
