/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.db.ConsistencyLevel;
import org.apache.cassandra.dht.Murmur3Partitioner.LongToken;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.locator.AbstractReplicationStrategy;
import org.apache.cassandra.locator.Replica;
import org.apache.cassandra.locator.SimpleStrategy;
import org.apache.cassandra.locator.TokenMetadata;
import org.apache.cassandra.schema.TableId;

import io.cassiterite.OwnJvm;
import io.cassiterite.memtable.TestMemtable;

import static io.cassiterite.frontdoor.desk.TwoDataCenters.HERE;
import static io.cassiterite.frontdoor.desk.TwoDataCenters.SELF;
import static io.cassiterite.frontdoor.desk.TwoDataCenters.SNITCH;
import static io.cassiterite.frontdoor.desk.TwoDataCenters.THERE;
import static io.cassiterite.frontdoor.desk.TwoDataCenters.node;
import static io.cassiterite.frontdoor.desk.TwoDataCenters.perDataCenter;
import static io.cassiterite.frontdoor.desk.TwoDataCenters.ring;
import static io.cassiterite.frontdoor.desk.TwoDataCenters.simple;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

@OwnJvm
class RingRangesTest
{
    static
    {
        TestMemtable.initialize();
    }

    /** Of a cluster of one. */
    static final RingRanges ALONE = RingRanges.of(simple(ring(SELF), 1), ring(SELF), SELF);
    /** Of a node that is no replica. */
    static final RingRanges NOTHING = RingRanges.of(simple(ring(node(3)), 1), ring(node(3)), SELF);

    private final Random random = new Random(23);

    @BeforeAll
    static void isInTheDataCenterOfTheTests()
    {
        assertEquals(HERE, DatabaseDescriptor.getLocalDataCenter());
    }

    private static Set<ConsistencyLevel> levels(AbstractReplicationStrategy strategy, TokenMetadata ring)
    {
        int mask = RingRanges.of(strategy, ring, SELF).levels();
        Set<ConsistencyLevel> levels = EnumSet.noneOf(ConsistencyLevel.class);
        for (ConsistencyLevel level : ConsistencyLevel.values())
            if ((mask & 1 << level.code) != 0)
                levels.add(level);
        return levels;
    }

    /** F3: a token is in the ranges if and only if Cassandra would read it from this node too. */
    private void assertSameAsCassandra(AbstractReplicationStrategy strategy, TokenMetadata ring)
    {
        RingRanges ranges = RingRanges.of(strategy, ring, SELF);
        for (int i = 0; i < 2_000; i++)
            assertSameAsCassandra(strategy, ranges, random.nextLong());
        for (Token token : ring.sortedTokens())
        {
            assertSameAsCassandra(strategy, ranges, token.getLongValue());
            assertSameAsCassandra(strategy, ranges, token.getLongValue() + 1);
        }
        assertSameAsCassandra(strategy, ranges, Long.MAX_VALUE);
        assertSameAsCassandra(strategy, ranges, Long.MIN_VALUE + 1);
    }

    private static void assertSameAsCassandra(AbstractReplicationStrategy strategy, RingRanges ranges, long token)
    {
        Replica replica = strategy.getNaturalReplicas(new LongToken(token)).byEndpoint().get(SELF);
        assertEquals(replica != null && replica.isFull(), ranges.ranges().contains(token), "token " + token);
    }

    @Test
    void theRangesAreThoseOfWhichTheNodeIsANaturalReplica()
    {
        TokenMetadata ring = ring(SELF, node(2), node(3), node(4), node(5));
        for (int factor = 1; factor <= 5; factor++)
            assertSameAsCassandra(simple(ring, factor), ring);
        assertSameAsCassandra(perDataCenter(ring, Map.of(HERE, "2", THERE, "1")), ring);
        assertSameAsCassandra(perDataCenter(ring, Map.of(THERE, "2")), ring);
    }

    @Test
    void rangesAreSortedAndDoNotTouch()
    {
        TokenMetadata ring = ring(SELF, node(2), node(3));
        RingRanges ranges = RingRanges.of(simple(ring, 2), ring, SELF);
        for (int i = 0; i < ranges.ranges().count(); i++)
        {
            assertTrue(ranges.ranges().left(i) < ranges.ranges().right(i));
            assertTrue(i == 0 || ranges.ranges().right(i - 1) < ranges.ranges().left(i));
        }
        assertEquals(1, ALONE.ranges().count());
        assertEquals(0, NOTHING.ranges().count());
    }

    /** F3: a node that is about to own a range has not all of its rows yet. */
    @Test
    void aPendingRangeIsNotTheNodes()
    {
        TokenMetadata ring = ring(node(3));
        ring.addBootstrapTokens(List.of(new LongToken(17)), SELF);
        assertEquals(0, RingRanges.of(simple(ring, 1), ring, SELF).ranges().count());
        ring.updateNormalToken(new LongToken(17), SELF);
        assertTrue(RingRanges.of(simple(ring, 1), ring, SELF).ranges().contains(17));
    }

    /** A transient replica need not have what was acknowledged. */
    @Test
    void aTransientReplicaIsNoReplica()
    {
        DatabaseDescriptor.setTransientReplicationEnabledUnsafe(true);
        try
        {
            TokenMetadata ring = ring(SELF, node(3), node(5));
            AbstractReplicationStrategy strategy =
                new SimpleStrategy("shop", ring, SNITCH, Map.of("replication_factor", "3/1"));
            assertSameAsCassandra(strategy, ring);
            assertNotEquals(1, RingRanges.of(strategy, ring, SELF).ranges().count());
        }
        finally
        {
            DatabaseDescriptor.setTransientReplicationEnabledUnsafe(false);
        }
    }

    @Test
    void oneReplicaSatisfiesAllLevelsOfReads()
    {
        TokenMetadata ring = ring(SELF, node(3));
        Set<ConsistencyLevel> all = EnumSet.of(ConsistencyLevel.ONE, ConsistencyLevel.LOCAL_ONE, ConsistencyLevel.QUORUM,
                                               ConsistencyLevel.LOCAL_QUORUM, ConsistencyLevel.ALL);
        assertEquals(all, levels(simple(ring, 1), ring));
        assertEquals(all, levels(perDataCenter(ring, Map.of(HERE, "1")), ring));
    }

    /** A quorum of two is two: this node's answer alone might lack an acknowledged write. */
    @Test
    void amongSeveralReplicasOnlyOneAndLocalOneAreAnsweredAlone()
    {
        TokenMetadata ring = ring(SELF, node(3), node(5));
        Set<ConsistencyLevel> one = EnumSet.of(ConsistencyLevel.ONE, ConsistencyLevel.LOCAL_ONE);
        assertEquals(one, levels(simple(ring, 2), ring));
        assertEquals(one, levels(simple(ring, 3), ring));
        assertEquals(one, levels(perDataCenter(ring, Map.of(HERE, "3")), ring));
    }

    /** The only replica of this data center is its quorum, but no quorum of the cluster. */
    @Test
    void aLocalQuorumCountsThisDataCenterOnly()
    {
        TokenMetadata ring = ring(SELF, node(2), node(4));
        assertEquals(EnumSet.of(ConsistencyLevel.ONE, ConsistencyLevel.LOCAL_ONE, ConsistencyLevel.LOCAL_QUORUM),
                     levels(perDataCenter(ring, Map.of(HERE, "1", THERE, "2")), ring));
    }

    @Test
    void areOutOfDateWithTheRingAndWithTheReplication()
    {
        TokenMetadata ring = ring(SELF, node(3));
        AbstractReplicationStrategy strategy = simple(ring, 1);
        RingRanges ranges = RingRanges.of(strategy, ring, SELF);
        assertTrue(ranges.isCurrent(strategy, ring));
        assertFalse(ranges.isCurrent(simple(ring, 1), ring));
        ring.updateNormalToken(new LongToken(17), node(3));
        assertFalse(ranges.isCurrent(strategy, ring));
    }

    @Test
    void theSpecHasTheFormOfTheBoundary()
    {
        TableId table = TableId.generate();
        ByteBuffer spec = ByteBuffer.wrap(ALONE.spec(table, 500));
        assertEquals(1, spec.get());
        assertEquals(table.asUUID().getMostSignificantBits(), spec.getLong());
        assertEquals(table.asUUID().getLeastSignificantBits(), spec.getLong());
        assertEquals(ALONE.levels(), spec.getInt());
        assertEquals(500, spec.getInt());
        assertEquals(1, spec.getInt());
        assertEquals(Long.MIN_VALUE, spec.getLong());
        assertEquals(Long.MAX_VALUE, spec.getLong());
        assertFalse(spec.hasRemaining());
    }
}
