/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.node;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
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
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.service.StorageService;
import org.apache.cassandra.utils.FBUtilities;
import org.apache.cassandra.utils.NoSpamLogger;

/**
 * The plug-in version in gossip, {@code cassiterite/VERSION} in an application state that Cassandra does not use: its
 * node takes shipments of the tables whose memtable keys it publishes, too. The version is the latest of the stream format
 * (docs/internals/formats.md, "Stream"). Nodes without the plug-in pass it on and ignore it. Thread-safe.
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

    /** The keys of {@link EngineKeys}. */
    private static final ApplicationState KEYS_STATE = ApplicationState.X9;

    /** Peers that take shipments, with the keys of their engine tables. */
    private static final Map<InetAddressAndPort, Set<String>> KNOWN_PEERS = new ConcurrentHashMap<>();

    private static volatile Set<String> ownKeys = Set.of();
    /** Keys of tables that are about to leave the engine, by their ids: they are not published. */
    private static final Map<TableId, String> LEAVING = new ConcurrentHashMap<>();

    private PluginGossip()
    {
    }

    /**
     * Publishes the version as soon as this node gossips, from a thread of its own: the peers of a joining node must
     * know it when they prepare their streams, long before the node has started.
     *
     * @param keys       the memtable keys that this node maps to the engine
     * @param afterwards what else is to be published then
     */
    public static void publishWhenGossiping(Set<String> keys, Runnable afterwards)
    {
        ownKeys = Set.copyOf(keys);
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
        Set<String> published = new HashSet<>(ownKeys);
        published.removeAll(LEAVING.values());
        String keys = EngineKeys.encode(published);
        // the keys first: who knows the version alone sends sstables
        if (publish(local, KEYS_STATE, keys) | publish(local, STATE, VALUE))
            logger.info("Published by gossip that this node takes whole files ({}, {})", VALUE, keys);
        return true;
    }

    private static boolean publish(EndpointState local, ApplicationState state, String value)
    {
        VersionedValue published = local.getApplicationState(state);
        if (published != null && published.value.equals(value))
            return false;
        // datacenter() is one of the factory's methods that take any string
        Gossiper.instance.addLocalApplicationState(state, StorageService.instance.valueFactory.datacenter(value));
        return true;
    }

    /** @param key the table's, which is published no more while it is about to leave; null if it is not (any more) */
    public static void setLeaving(TableId table, String key)
    {
        if (key == null)
            LEAVING.remove(table);
        else
            LEAVING.put(table, key);
    }

    /**
     * Remembers the versions of the peers: gossip forgets a joining node for short times, in which it may request its
     * streams.
     */
    public static void listen()
    {
        for (InetAddressAndPort peer : Gossiper.instance.getEndpoints())
            keys(peer);
    }

    /** @return true if the peer takes shipments, as this node writes them, of the tables with this memtable key */
    public static boolean takes(InetAddressAndPort peer, String key)
    {
        return keys(peer).contains(key);
    }

    /** @return the keys of the tables of which the peer takes shipments */
    private static Set<String> keys(InetAddressAndPort peer)
    {
        EndpointState state = Gossiper.instance.getEndpointStateForEndpoint(peer);
        if (state == null)
            return KNOWN_PEERS.getOrDefault(peer, Set.of());
        VersionedValue version = state.getApplicationState(STATE);
        VersionedValue published = state.getApplicationState(KEYS_STATE);
        boolean takes = version != null && takesShipments(version.value) && published != null;
        Set<String> keys = takes ? EngineKeys.decode(published.value) : Set.of();
        KNOWN_PEERS.put(peer, keys);
        return keys;
    }

    /** @return the other members of the ring, dead ones too, that have published that they map the memtable key to the engine */
    public static Set<InetAddressAndPort> membersWith(String key)
    {
        Set<InetAddressAndPort> members = new HashSet<>();
        for (InetAddressAndPort member : StorageService.instance.getTokenMetadata().getAllEndpoints())
            if (!member.equals(FBUtilities.getBroadcastAddressAndPort()) && takes(member, key))
                members.add(member);
        return members;
    }

    /** @return the members of the ring, dead ones too, that have not published that they map the memtable key to the engine */
    public static List<InetAddressAndPort> membersWithout(String key)
    {
        List<InetAddressAndPort> lacking = new ArrayList<>();
        for (InetAddressAndPort member : StorageService.instance.getTokenMetadata().getAllEndpoints())
            if (!member.equals(FBUtilities.getBroadcastAddressAndPort()) && !takes(member, key))
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
