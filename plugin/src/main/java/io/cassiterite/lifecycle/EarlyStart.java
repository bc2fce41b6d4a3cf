/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.lifecycle;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.exceptions.ConfigurationException;
import org.apache.cassandra.gms.Gossiper;
import org.apache.cassandra.schema.MemtableParams;
import org.apache.cassandra.service.StorageService;

import io.cassiterite.frontdoor.FrontDoor;
import io.cassiterite.node.PluginGossip;

/**
 * Starts the plug-in on a node that wants the front door and has no engine table yet: clients that connect before the
 * first one is created would otherwise stay with Netty until they connect again.
 */
final class EarlyStart
{
    private static final Logger logger = LoggerFactory.getLogger(EarlyStart.class);

    private static final long POLL_MS = 10;

    private EarlyStart()
    {
    }

    /**
     * Starts it, from a thread of its own, as soon as the node gossips: the schema is loaded by then, and the native
     * transport has yet to start.
     *
     * @param configuration the name of the memtable configuration
     */
    static void whenGossiping(String configuration)
    {
        Thread thread = new Thread(() -> waitAndStart(configuration), "cassiterite-early-start");
        thread.setDaemon(true);
        thread.start();
    }

    private static void waitAndStart(String configuration)
    {
        try
        {
            // the gossiper's class may be initialized by the node's start only
            while (!PluginGossip.isGossiperInitialized() || !Gossiper.instance.isEnabled())
                Thread.sleep(POLL_MS);
            MemtableParams.get(configuration);
            // the node may just have made the transport that it would have without the door
            while (!StorageService.instance.isDaemonSetupCompleted())
                Thread.sleep(POLL_MS);
            FrontDoor.instance.settle();
        }
        catch (InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
        catch (ConfigurationException e)
        {
            logger.error("The front door stays off until the first engine table is created", e);
        }
    }
}
