/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.lifecycle;

import java.util.Map;

import org.apache.cassandra.config.CassandraRelevantProperties;
import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.exceptions.ConfigurationException;
import org.apache.cassandra.schema.Schema;
import org.apache.cassandra.service.StorageService;

import io.cassiterite.engine.BackgroundWork;
import io.cassiterite.engine.EngineException;
import io.cassiterite.engine.Store;
import io.cassiterite.frontdoor.FrontDoor;
import io.cassiterite.memtable.CassiteriteFactory;
import io.cassiterite.memtable.CommitLogReplay;
import io.cassiterite.memtable.EngineTables;
import io.cassiterite.memtable.Increments;
import io.cassiterite.move.Exports;
import io.cassiterite.move.Mover;
import io.cassiterite.node.NodeStore;
import io.cassiterite.node.StartRefusal;
import io.cassiterite.observe.metrics.EngineTableMetrics;
import io.cassiterite.schema.EngineQueryHandler;
import io.cassiterite.schema.SchemaSafetyNet;
import io.cassiterite.stream.Streams;

/** Starts all parts of the plug-in in a node, once. */
final class Plugin
{
    private static boolean started;

    private Plugin()
    {
    }

    /**
     * Opens the node's store and starts the rest: schema listener, managers, metrics, MBeans, maintenance and shutdown
     * hook. The maintenance thread does later what needs a node that has started. Called when a configuration is first
     * used, before any table uses it, so that a wrong one is refused and leaves nothing behind. Does nothing in offline
     * tools.
     *
     * @param parameters of the memtable configuration
     * @throws ConfigurationException if the node's JVM options make the engine unsafe or the store cannot be opened with
     *                                these parameters; during the node's start the JVM stops instead, because Cassandra
     *                                would go on with its default memtable
     */
    static synchronized void start(Map<String, String> parameters)
    {
        if (!DatabaseDescriptor.isDaemonInitialized())
            return;
        checkOption();
        boolean isFirst = !started;
        if (isFirst)
            startOnce();
        started = true;
        openStore(parameters, isFirst);
    }

    private static void openStore(Map<String, String> parameters, boolean isFirst)
    {
        try
        {
            Store store = NodeStore.get(parameters);
            CommitLogReplay.install(store);
            if (isFirst)
                Mover.expect(store);
            Streams.start(store);
            FrontDoor.instance.start(parameters);
        }
        catch (Exception | Error e)
        {
            throw StartRefusal.of("the store cannot be opened: " + reason(e), e);
        }
    }

    /** The engine's message: Cassandra's disk failures have it only in their cause. */
    private static String reason(Throwable failure)
    {
        for (Throwable cause = failure; cause != null; cause = cause.getCause())
            if (cause instanceof EngineException)
                return cause.getMessage();
        return failure.getMessage();
    }

    private static void startOnce()
    {
        NodeEngine engine = new NodeEngine();
        EngineTableSetup tableSetup = new EngineTableSetup(engine);
        SchemaSafetyNet safetyNet = new SchemaSafetyNet(tableSetup::prepare, tableSetup::createdElsewhere, tableSetup::dropped);
        Maintenance maintenance = new Maintenance(engine, tableSetup, safetyNet);

        CassiteriteFactory.registerMetricsWith(EngineTableMetrics.of(engine));
        ManagerInstaller.onPatched(tableSetup::installProxy);
        Schema.instance.registerListener(safetyNet);
        EngineTables.onChange(FrontDoor.instance::tableChanged);
        onShutdown(() -> shutDown(maintenance, engine));
        maintenance.start();
    }

    private static void checkOption()
    {
        String handler = CassandraRelevantProperties.CUSTOM_QUERY_HANDLER_CLASS.getString();
        if (!EngineQueryHandler.class.getName().equals(handler))
            throw StartRefusal.of("add -Dcassandra.custom_query_handler_class=" + EngineQueryHandler.class.getName() + " to the " +
                                  "JVM options (found: " + handler + "). Without it the node would accept schema changes that " +
                                  "lose data.", null);
    }

    /**
     * Registers a hook without waiting for it: a joining node holds StorageService's monitor while it waits for the
     * schema, and the schema's first engine table causes this call. Until the hook is registered the process can only
     * be killed, which the store survives.
     */
    private static void onShutdown(Runnable hook)
    {
        Thread thread = new Thread(() -> addHooks(hook), "cassiterite-shutdown-hook");
        thread.setDaemon(true);
        thread.start();
    }

    private static void addHooks(Runnable last)
    {
        StorageService.instance.addPreShutdownHook(FrontDoor.instance::stopAnswering);
        StorageService.instance.addPreShutdownHook(Mover.instance::stop);
        StorageService.instance.addPreShutdownHook(Exports.instance::stop);
        StorageService.instance.addPostShutdownHook(last);
    }

    /** Runs in Cassandra's shutdown and in nodetool drain; the process may live on. */
    private static void shutDown(Maintenance maintenance, NodeEngine engine)
    {
        try
        {
            engine.closing();
            maintenance.stop();
            Streams.stop();
            FrontDoor.instance.stop();
            if (NodeStore.getIfOpen() != null)
            {
                Departures.leaveAll();
                // else they wait for the next start
                BackgroundWork.attempt("Bringing increments into backups", () -> Increments.bringAll(NodeStore.getIfOpen()));
            }
        }
        finally
        {
            NodeStore.close();
        }
    }
}
