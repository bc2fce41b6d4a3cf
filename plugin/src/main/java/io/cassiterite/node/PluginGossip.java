/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.node;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.gms.ApplicationState;
import org.apache.cassandra.gms.EndpointState;
import org.apache.cassandra.gms.Gossiper;
import org.apache.cassandra.gms.VersionedValue;
import org.apache.cassandra.locator.InetAddressAndPort;
import org.apache.cassandra.service.StorageService;
import org.apache.cassandra.utils.FBUtilities;
import org.apache.cassandra.utils.NoSpamLogger;

/**
 * The plug-in version in gossip, {@code cassiterite/VERSION} in an application state that Cassandra does not use: its
 * node takes shipments. The version is the latest of the stream format (docs/internals/formats.md, "Stream"). Nodes
 * without the plug-in pass it on and ignore it. Thread-safe.
 */
public final class PluginGossip
{
    private static final Logger logger = LoggerFactory.getLogger(PluginGossip.class);

    private static final NoSpamLogger RARE = NoSpamLogger.getLogger(logger, 1, TimeUnit.MINUTES);

    /** The latest version of the stream format. */
    public static final int VERSION = 2;

    static final ApplicationState STATE = ApplicationState.X7;
    public static final String VALUE = "cassiterite/" + VERSION;

    private static final Pattern KNOWN = Pattern.compile("cassiterite/([0-9]{1,9})");
    private static final long POLL_MS = 50;

    private static final Set<InetAddressAndPort> KNOWN_PEERS = ConcurrentHashMap.newKeySet();

    private PluginGossip()
    {
    }

    /**
     * Publishes the version as soon as this node gossips, from a thread of its own: the peers of a joining node must
     * know it when they prepare their streams, long before the node has started.
     *
     * @param afterwards what else is to be published then
     */
    public static void publishWhenGossiping(Runnable afterwards)
    {
        Thread thread = new Thread(() -> waitAndPublish(afterwards), "cassiterite-version-gossip");
        thread.setDaemon(true);
        thread.start();
    }

    /** Publishes the version unless it is published. @return false if this node does not gossip yet */
    public static boolean publish()
    {
        EndpointState local = Gossiper.instance.getEndpointStateForEndpoint(FBUtilities.getBroadcastAddressAndPort());
        if (local == null || !Gossiper.instance.isEnabled())
            return false;
        VersionedValue published = local.getApplicationState(STATE);
        if (published == null || !published.value.equals(VALUE))
        {
            // datacenter() is one of the factory's methods that take any string
            Gossiper.instance.addLocalApplicationState(STATE, StorageService.instance.valueFactory.datacenter(VALUE));
            logger.info("Published by gossip that this node takes whole files ({})", VALUE);
        }
        return true;
    }

    /**
     * Remembers the versions of the peers: gossip forgets a joining node for short times, in which it may request its
     * streams.
     */
    public static void listen()
    {
        for (InetAddressAndPort peer : Gossiper.instance.getEndpoints())
            publishes(peer);
    }

    /** @return true if the peer's version says that it takes shipments as this node writes them */
    public static boolean publishes(InetAddressAndPort peer)
    {
        EndpointState state = Gossiper.instance.getEndpointStateForEndpoint(peer);
        if (state == null)
            return KNOWN_PEERS.contains(peer);
        VersionedValue published = state.getApplicationState(STATE);
        boolean takes = published != null && takesShipments(published.value);
        if (takes)
            KNOWN_PEERS.add(peer);
        else
            KNOWN_PEERS.remove(peer);
        return takes;
    }

    /** @return the members of the ring, dead ones too, that have not published the plug-in */
    public static List<InetAddressAndPort> membersWithout()
    {
        List<InetAddressAndPort> lacking = new ArrayList<>();
        for (InetAddressAndPort member : StorageService.instance.getTokenMetadata().getAllEndpoints())
            if (!member.equals(FBUtilities.getBroadcastAddressAndPort()) && !publishes(member))
                lacking.add(member);
        return lacking;
    }

    public static boolean takesShipments(String published)
    {
        Matcher known = KNOWN.matcher(published);
        return known.matches() && Integer.parseInt(known.group(1)) >= VERSION;
    }

    private static void waitAndPublish(Runnable afterwards)
    {
        try
        {
            while (!publishIfGossiping(afterwards))
                Thread.sleep(POLL_MS);
        }
        catch (InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean publishIfGossiping(Runnable afterwards)
    {
        try
        {
            if (!isGossiperInitialized() || !publish())
                return false;
            afterwards.run();
            return true;
        }
        catch (Exception | Error e)
        {
            // without the node's failure policies, whose classes only the node's start may initialize
            RARE.error("This node cannot publish yet that it takes whole files; until it does it gets rows in sstables", e);
            return false;
        }
    }

    /** Tells by its MBean: naming the class would initialize the gossiper, which only the node's start may do. */
    public static boolean isGossiperInitialized()
    {
        try
        {
            return ManagementFactory.getPlatformMBeanServer().isRegistered(new ObjectName("org.apache.cassandra.net:type=Gossiper"));
        }
        catch (MalformedObjectNameException e)
        {
            throw new IllegalStateException(e);
        }
    }
}
