/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;

import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.locator.AbstractReplicationStrategy;
import org.apache.cassandra.locator.EndpointsForRange;
import org.apache.cassandra.locator.InetAddressAndPort;
import org.apache.cassandra.locator.Replica;
import org.apache.cassandra.locator.TokenMetadata;

/** Of a keyspace, each range of the ring of which a node is a full natural replica, and who else is. Immutable. */
final class NaturalReplicas
{
    private final List<Owned> ranges = new ArrayList<>();

    private NaturalReplicas()
    {
    }

    /** Takes long in a large cluster. @param moment a ring that does not change */
    static NaturalReplicas of(AbstractReplicationStrategy strategy, TokenMetadata moment, InetAddressAndPort node)
    {
        NaturalReplicas replicas = new NaturalReplicas();
        Collection<InetAddressAndPort> here = moment.getTopology().getDatacenterEndpoints().get(DatabaseDescriptor.getLocalDataCenter());
        for (Token token : moment.sortedTokens())
        {
            EndpointsForRange natural = strategy.calculateNaturalReplicas(token, moment);
            Replica own = natural.byEndpoint().get(node);
            if (own != null && own.isFull())
                replicas.ranges.add(new Owned(moment.getPredecessor(token).getLongValue(), token.getLongValue(),
                                              others(natural, node, here, moment), natural.size()));
        }
        return replicas;
    }

    private static List<UUID> others(EndpointsForRange natural, InetAddressAndPort node, Collection<InetAddressAndPort> here,
                                     TokenMetadata moment)
    {
        List<UUID> hosts = new ArrayList<>();
        for (Replica replica : natural)
        {
            UUID host = moment.getHostId(replica.endpoint());
            if (replica.isFull() && !replica.endpoint().equals(node) && here.contains(replica.endpoint()) && host != null)
                hosts.add(host);
        }
        return hosts;
    }

    /** In the order of their right tokens. */
    List<Owned> ranges()
    {
        return ranges;
    }

    /** Behind the left token, up to the right one; (t, t] is the whole ring. */
    static final class Owned
    {
        final long left;
        final long right;
        /** The other full replicas of the node's data center. */
        final List<UUID> others;
        private final int count;

        private Owned(long left, long right, List<UUID> others, int count)
        {
            this.left = left;
            this.right = right;
            this.others = others;
            this.count = count;
        }

        /** Whether the rows have no replica but the node and the others. */
        boolean areAllHere()
        {
            return others.size() == count - 1;
        }
    }
}
