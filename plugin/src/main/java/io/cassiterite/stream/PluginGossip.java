/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.lang.management.ManagementFactory;
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
 * That a node takes shipments: said by gossip in a state that Cassandra keeps spare, as {@code cassiterite/VERSION}, the
 * version being the latest of the stream format (docs/internals/formats.md, "Stream"). Nodes without the plug-in pass it on and
 * ignore it. Thread-safe.
 */
public final class PluginGossip
{
    private static final Logger logger = LoggerFactory.getLogger(PluginGossip.class);

    private static final NoSpamLogger RARE = NoSpamLogger.getLogger(logger, 1, TimeUnit.MINUTES);

    static final ApplicationState STATE = ApplicationState.X7;
    static final String VALUE = "cassiterite/" + StreamHeader.VERSION;

    private static final Pattern KNOWN = Pattern.compile("cassiterite/([0-9]{1,9})");
    private static final long POLL_MS = 50;

    private static final Set<InetAddressAndPort> HEARD = ConcurrentHashMap.newKeySet();

    private PluginGossip()
    {
    }

    /**
     * Announces this node as soon as it gossips, from a thread of its own: a joining node has to have said it before its
     * peers prepare their streams, long before it has started.
     */
    public static void publishWhenGossiping()
    {
        Thread thread = new Thread(PluginGossip::waitAndPublish, "cassiterite-announcement");
        thread.setDaemon(true);
        thread.start();
    }

    /** Says it unless it is said. @return false if this node does not gossip yet */
    public static boolean publish()
    {
        EndpointState local = Gossiper.instance.getEndpointStateForEndpoint(FBUtilities.getBroadcastAddressAndPort());
        if (local == null || !Gossiper.instance.isEnabled())
            return false;
        VersionedValue published = local.getApplicationState(STATE);
        if (published == null || !published.value.equals(VALUE))
        {
            // of the factory's methods that take any string
            Gossiper.instance.addLocalApplicationState(STATE, StorageService.instance.valueFactory.datacenter(VALUE));
            logger.info("Announced to the cluster that this node takes whole files ({})", VALUE);
        }
        return true;
    }

    /** Notes what the peers say now; gossip forgets a joining node for moments, in which it may ask for its streams. */
    static void listen()
    {
        for (InetAddressAndPort peer : Gossiper.instance.getEndpoints())
            publishes(peer);
    }

    /** @return true if the peer has said that it takes shipments as this node writes them */
    static boolean publishes(InetAddressAndPort peer)
    {
        EndpointState state = Gossiper.instance.getEndpointStateForEndpoint(peer);
        if (state == null)
            return HEARD.contains(peer);
        VersionedValue published = state.getApplicationState(STATE);
        boolean takes = published != null && takesShipments(published.value);
        if (takes)
            HEARD.add(peer);
        else
            HEARD.remove(peer);
        return takes;
    }

    static boolean takesShipments(String published)
    {
        Matcher known = KNOWN.matcher(published);
        return known.matches() && Integer.parseInt(known.group(1)) >= StreamHeader.VERSION;
    }

    private static void waitAndPublish()
    {
        try
        {
            while (!announceIfGossiping())
                Thread.sleep(POLL_MS);
        }
        catch (InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean announceIfGossiping()
    {
        try
        {
            if (!isGossiperMade() || !publish())
                return false;
            RetainedFiles.publish();
            return true;
        }
        catch (Exception | Error e)
        {
            // without asking the node's failure policies, whose classes are the business of its start
            RARE.error("This node cannot publish yet that it takes whole files; until it does it gets rows in sstables", e);
            return false;
        }
    }

    /** Asked of its MBean: to name the class would make the gossiper, which is the business of the node's start. */
    static boolean isGossiperMade()
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
