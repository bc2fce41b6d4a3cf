/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;

import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.gms.ApplicationState;
import org.apache.cassandra.gms.EndpointState;
import org.apache.cassandra.gms.FailureDetector;
import org.apache.cassandra.gms.Gossiper;
import org.apache.cassandra.gms.VersionedValue;
import org.apache.cassandra.locator.IEndpointSnitch;
import org.apache.cassandra.locator.InetAddressAndPort;
import org.apache.cassandra.service.StorageService;
import org.apache.cassandra.utils.FBUtilities;

/**
 * Doors in gossip: in an application state that Cassandra does not use. Nodes without the plug-in pass it on and ignore it.
 * Thread-safe.
 */
final class PeerGossip
{
    private static final ApplicationState STATE = ApplicationState.X10;

    private PeerGossip()
    {
    }

    /** Publishes the state unless it is published. @return false if this node does not gossip yet */
    static boolean publish(String state)
    {
        EndpointState local = Gossiper.instance.getEndpointStateForEndpoint(FBUtilities.getBroadcastAddressAndPort());
        if (local == null || !Gossiper.instance.isEnabled())
            return false;
        VersionedValue published = local.getApplicationState(STATE);
        boolean isPublished = published == null ? state.equals(PeerState.NONE) : published.value.equals(state);
        if (!isPublished)
            // datacenter() is one of the factory's methods that take any string
            Gossiper.instance.addLocalApplicationState(STATE, StorageService.instance.valueFactory.datacenter(state));
        return true;
    }

    /** @return the other members of the ring in this node's data center that have a door, in the order of their addresses */
    static List<PeerMember> members()
    {
        InetAddressAndPort self = FBUtilities.getBroadcastAddressAndPort();
        IEndpointSnitch snitch = DatabaseDescriptor.getEndpointSnitch();
        String here = snitch.getDatacenter(self);
        List<InetAddressAndPort> nodes = new ArrayList<>(StorageService.instance.getTokenMetadata().getAllEndpoints());
        nodes.sort(Comparator.naturalOrder());
        List<PeerMember> members = new ArrayList<>();
        for (InetAddressAndPort node : nodes)
        {
            PeerMember member = node.equals(self) || !here.equals(snitch.getDatacenter(node)) ? null : member(node);
            if (member != null)
                members.add(member);
        }
        return members;
    }

    /** @return null if the node has no door */
    private static PeerMember member(InetAddressAndPort node)
    {
        EndpointState state = Gossiper.instance.getEndpointStateForEndpoint(node);
        VersionedValue published = state == null ? null : state.getApplicationState(STATE);
        PeerState door = published == null ? null : PeerState.parse(published.value);
        UUID hostId = StorageService.instance.getTokenMetadata().getHostId(node);
        if (door == null || hostId == null)
            return null;
        return new PeerMember(hostId, door, node.getAddress(), FailureDetector.instance.isAlive(node));
    }
}
