/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.net.UnknownHostException;
import java.util.Map;
import java.util.Random;
import java.util.UUID;

import org.apache.cassandra.dht.Murmur3Partitioner.LongToken;
import org.apache.cassandra.locator.AbstractNetworkTopologySnitch;
import org.apache.cassandra.locator.AbstractReplicationStrategy;
import org.apache.cassandra.locator.IEndpointSnitch;
import org.apache.cassandra.locator.InetAddressAndPort;
import org.apache.cassandra.locator.NetworkTopologyStrategy;
import org.apache.cassandra.locator.SimpleStrategy;
import org.apache.cassandra.locator.TokenMetadata;

import io.cassiterite.memtable.TestMemtable;

/** Rings of nodes in two data centers, of which this one is the first. */
final class TwoDataCenters
{
    static
    {
        TestMemtable.initialize();
    }

    static final InetAddressAndPort SELF = node(1);
    static final String HERE = "datacenter1";
    static final String THERE = "elsewhere";

    /** Nodes with even numbers are elsewhere. */
    static final IEndpointSnitch SNITCH = new AbstractNetworkTopologySnitch()
    {
        @Override
        public String getRack(InetAddressAndPort endpoint)
        {
            return "rack1";
        }

        @Override
        public String getDatacenter(InetAddressAndPort endpoint)
        {
            return endpoint.addressBytes[3] % 2 == 0 ? THERE : HERE;
        }
    };

    private TwoDataCenters()
    {
    }

    static InetAddressAndPort node(int number)
    {
        try
        {
            return InetAddressAndPort.getByName("127.0.0." + number);
        }
        catch (UnknownHostException e)
        {
            throw new AssertionError(e);
        }
    }

    static UUID host(InetAddressAndPort node)
    {
        return new UUID(7, node.addressBytes[3]);
    }

    /** Each node has eight tokens. */
    static TokenMetadata ring(InetAddressAndPort... nodes)
    {
        TokenMetadata ring = new TokenMetadata(SNITCH);
        Random tokens = new Random(5);
        for (InetAddressAndPort node : nodes)
        {
            for (int i = 0; i < 8; i++)
                ring.updateNormalToken(new LongToken(tokens.nextLong()), node);
            ring.updateHostId(host(node), node);
        }
        return ring;
    }

    static AbstractReplicationStrategy simple(TokenMetadata ring, int factor)
    {
        return new SimpleStrategy("shop", ring, SNITCH, Map.of("replication_factor", Integer.toString(factor)));
    }

    static AbstractReplicationStrategy perDataCenter(TokenMetadata ring, Map<String, String> factors)
    {
        return new NetworkTopologyStrategy("shop", ring, SNITCH, factors);
    }
}
