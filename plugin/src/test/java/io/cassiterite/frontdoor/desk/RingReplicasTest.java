/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;

import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.db.ConsistencyLevel;
import org.apache.cassandra.dht.Murmur3Partitioner.LongToken;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.locator.AbstractReplicationStrategy;
import org.apache.cassandra.locator.Replica;
import org.apache.cassandra.locator.SimpleStrategy;
import org.apache.cassandra.locator.TokenMetadata;

import io.cassiterite.OwnJvm;
import io.cassiterite.memtable.TestMemtable;

import static io.cassiterite.frontdoor.desk.TwoDataCenters.HERE;
import static io.cassiterite.frontdoor.desk.TwoDataCenters.SELF;
import static io.cassiterite.frontdoor.desk.TwoDataCenters.SNITCH;
import static io.cassiterite.frontdoor.desk.TwoDataCenters.THERE;
import static io.cassiterite.frontdoor.desk.TwoDataCenters.host;
import static io.cassiterite.frontdoor.desk.TwoDataCenters.node;
import static io.cassiterite.frontdoor.desk.TwoDataCenters.perDataCenter;
import static io.cassiterite.frontdoor.desk.TwoDataCenters.ring;
import static io.cassiterite.frontdoor.desk.TwoDataCenters.simple;
import static org.junit.jupiter.api.Assertions.assertEquals;

@OwnJvm
class RingReplicasTest
{
    static
    {
        TestMemtable.initialize();
    }

    /** Of a cluster of one. */
    static final RingReplicas ALONE = of(simple(ring(SELF), 1), ring(SELF));

    private final Random random = new Random(29);

    private static RingReplicas of(AbstractReplicationStrategy strategy, TokenMetadata ring)
    {
        return RingReplicas.ofReads(strategy, NaturalReplicas.of(strategy, ring.cloneOnlyTokenMap(), SELF));
    }

    /** What the bytes say, as the door reads them. */
    private static final class Decoded
    {
        final Map<Integer, Integer> levels = new HashMap<>();
        final UUID[] hosts;
        final int[][] sets;
        final long[][] ranges;

        Decoded(RingReplicas replicas)
        {
            ByteBuffer in = ByteBuffer.wrap(replicas.encoded());
            for (int i = in.getInt(); i > 0; i--)
                levels.put((int) in.get(), (int) in.getShort());
            hosts = new UUID[in.getInt()];
            for (int i = 0; i < hosts.length; i++)
                hosts[i] = new UUID(in.getLong(), in.getLong());
            sets = new int[in.getInt()][];
            for (int i = 0; i < sets.length; i++)
            {
                sets[i] = new int[in.getInt()];
                for (int j = 0; j < sets[i].length; j++)
                    sets[i][j] = in.getShort();
            }
            ranges = new long[in.getInt()][];
            for (int i = 0; i < ranges.length; i++)
                ranges[i] = new long[]{ in.getLong(), in.getLong(), in.getInt() };
            assertEquals(0, in.remaining());
            for (int i = 1; i < ranges.length; i++)
                assertEquals(true, ranges[i - 1][1] <= ranges[i][0]);
        }

        /** Null if this node is no replica. */
        Set<UUID> others(long token)
        {
            for (long[] range : ranges)
                if (range[0] < token && token <= range[1])
                {
                    Set<UUID> others = new HashSet<>();
                    for (int host : sets[(int) range[2]])
                        others.add(hosts[host]);
                    return others;
                }
            return null;
        }
    }

    /** F3: those of this data center that Cassandra would read the token from, besides this node. */
    private void assertSameAsCassandra(AbstractReplicationStrategy strategy, TokenMetadata ring)
    {
        Decoded reads = new Decoded(of(strategy, ring));
        Decoded writes = new Decoded(RingReplicas.ofWrites(strategy, NaturalReplicas.of(strategy, ring.cloneOnlyTokenMap(), SELF)));
        LongStream tokens = LongStream.concat(random.longs(2_000), LongStream.of(Long.MAX_VALUE, Long.MIN_VALUE + 1));
        LongStream ends = ring.sortedTokens().stream().mapToLong(Token::getLongValue).flatMap(token -> LongStream.of(token, token + 1));
        LongStream.concat(tokens, ends).forEach(token -> {
            assertReads(strategy, reads, token);
            assertWrites(strategy, writes, token);
        });
    }

    /** F7: all that Cassandra would write the token to, or none. */
    private static void assertWrites(AbstractReplicationStrategy strategy, Decoded decoded, long token)
    {
        Set<UUID> expected = new HashSet<>();
        boolean isReplica = false;
        boolean areAllHere = true;
        for (Replica replica : strategy.getNaturalReplicas(new LongToken(token)))
        {
            areAllHere &= replica.isFull() && SNITCH.getDatacenter(replica).equals(HERE);
            if (replica.endpoint().equals(SELF))
                isReplica = true;
            else
                expected.add(host(replica.endpoint()));
        }
        assertEquals(isReplica && areAllHere ? expected : null, decoded.others(token), "token " + token);
    }

    private static void assertReads(AbstractReplicationStrategy strategy, Decoded decoded, long token)
    {
        Set<UUID> expected = new HashSet<>();
        boolean isReplica = false;
        for (Replica replica : strategy.getNaturalReplicas(new LongToken(token)))
            if (replica.endpoint().equals(SELF))
                isReplica = replica.isFull();
            else if (SNITCH.getDatacenter(replica).equals(HERE) && replica.isFull())
                expected.add(host(replica.endpoint()));
        assertEquals(isReplica ? expected : null, decoded.others(token), "token " + token);
    }

    @Test
    void theOthersAreTheNaturalReplicasOfThisDataCenter()
    {
        TokenMetadata ring = ring(SELF, node(2), node(3), node(4), node(5), node(7));
        for (int factor = 1; factor <= 6; factor++)
            assertSameAsCassandra(simple(ring, factor), ring);
        assertSameAsCassandra(perDataCenter(ring, Map.of(HERE, "3", THERE, "2")), ring);
        assertSameAsCassandra(perDataCenter(ring, Map.of(HERE, "2", THERE, "1")), ring);
        assertSameAsCassandra(perDataCenter(ring, Map.of(THERE, "2")), ring);
    }

    /** A transient replica need not have what was acknowledged. */
    @Test
    void transientReplicasAreNotAsked()
    {
        DatabaseDescriptor.setTransientReplicationEnabledUnsafe(true);
        try
        {
            TokenMetadata ring = ring(SELF, node(3), node(5), node(7));
            assertSameAsCassandra(new SimpleStrategy("shop", ring, SNITCH, Map.of("replication_factor", "3/1")), ring);
        }
        finally
        {
            DatabaseDescriptor.setTransientReplicationEnabledUnsafe(false);
        }
    }

    /** A node that is about to own a range has not all of its rows yet. */
    @Test
    void pendingReplicasAreNotAsked()
    {
        TokenMetadata ring = ring(SELF, node(3));
        ring.addBootstrapTokens(Set.of(new LongToken(17)), node(5));
        ring.updateHostId(host(node(5)), node(5));
        assertSameAsCassandra(simple(ring, 3), ring);
    }

    private static int wanted(AbstractReplicationStrategy strategy, TokenMetadata ring, ConsistencyLevel level)
    {
        return new Decoded(of(strategy, ring)).levels.getOrDefault(level.code, 0);
    }

    @Test
    void levelsWantAsManyAsCassandraBlocksFor()
    {
        TokenMetadata ring = ring(SELF, node(2), node(3), node(4), node(5));
        for (AbstractReplicationStrategy strategy : new AbstractReplicationStrategy[]{
            simple(ring, 1), simple(ring, 2), simple(ring, 3), perDataCenter(ring, Map.of(HERE, "3", THERE, "2")) })
        {
            for (ConsistencyLevel level : new ConsistencyLevel[]{ ConsistencyLevel.TWO, ConsistencyLevel.THREE, ConsistencyLevel.QUORUM,
                                                                  ConsistencyLevel.ALL, ConsistencyLevel.LOCAL_QUORUM })
            {
                int blockFor = level.blockFor(strategy);
                assertEquals(blockFor > 1 ? blockFor : 0, wanted(strategy, ring, level), level + " of " + strategy);
            }
            for (ConsistencyLevel level : new ConsistencyLevel[]{ ConsistencyLevel.ONE, ConsistencyLevel.LOCAL_ONE, ConsistencyLevel.ANY,
                                                                  ConsistencyLevel.EACH_QUORUM, ConsistencyLevel.SERIAL,
                                                                  ConsistencyLevel.LOCAL_SERIAL, ConsistencyLevel.NODE_LOCAL })
                assertEquals(0, wanted(strategy, ring, level), level.toString());
        }
    }

    @Test
    void rangesWithTheSameReplicasAreOne()
    {
        TokenMetadata ring = ring(SELF, node(3), node(5));
        assertEquals(1, new Decoded(of(simple(ring, 3), ring)).ranges.length);
    }
}
