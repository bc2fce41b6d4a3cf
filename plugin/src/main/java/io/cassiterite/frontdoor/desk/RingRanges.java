/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import org.apache.cassandra.db.ConsistencyLevel;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.locator.AbstractReplicationStrategy;
import org.apache.cassandra.locator.InetAddressAndPort;
import org.apache.cassandra.locator.Replica;
import org.apache.cassandra.locator.TokenMetadata;
import org.apache.cassandra.schema.TableId;

import io.cassiterite.engine.TableSchema;
import io.cassiterite.engine.TokenRanges;

/**
 * What a node can read alone of a keyspace: the ranges of which it is a full natural replica, and the consistency levels
 * that one replica satisfies; and what it can read with others. A node that is about to get a range is no natural replica
 * of it. Immutable.
 */
final class RingRanges
{
    private static final byte VERSION = 1;

    /** Those of which Cassandra's answer could be this node's alone. EACH_QUORUM and serial levels need more than reads. */
    private static final List<ConsistencyLevel> LEVELS =
        List.of(ConsistencyLevel.ONE, ConsistencyLevel.LOCAL_ONE, ConsistencyLevel.QUORUM, ConsistencyLevel.LOCAL_QUORUM,
                ConsistencyLevel.ALL);

    private final AbstractReplicationStrategy strategy;
    private final long ringVersion;
    private final TokenRanges ranges;
    private final int levels;
    private final RingReplicas others;
    private final RingReplicas writers;

    private RingRanges(AbstractReplicationStrategy strategy, long ringVersion, TokenRanges ranges, int levels, RingReplicas others,
                       RingReplicas writers)
    {
        this.writers = writers;
        this.strategy = strategy;
        this.ringVersion = ringVersion;
        this.ranges = ranges;
        this.levels = levels;
        this.others = others;
    }

    static RingRanges of(AbstractReplicationStrategy strategy, TokenMetadata ring, InetAddressAndPort node)
    {
        return of(strategy, ring, node, false);
    }

    /** Takes long in a large cluster. @param withOthers whether it has {@link #others}, too */
    static RingRanges of(AbstractReplicationStrategy strategy, TokenMetadata ring, InetAddressAndPort node, boolean withOthers)
    {
        TokenMetadata moment = ring.cloneOnlyTokenMap();
        Collection<Range<Token>> full = new ArrayList<>();
        for (Replica replica : strategy.getAddressReplicas(moment, node))
            if (replica.isFull())
                full.add(replica.range());
        NaturalReplicas natural = withOthers ? NaturalReplicas.of(strategy, moment, node) : null;
        RingReplicas others = withOthers ? RingReplicas.ofReads(strategy, natural) : null;
        RingReplicas writers = withOthers ? RingReplicas.ofWrites(strategy, natural) : null;
        return new RingRanges(strategy, moment.getRingVersion(), TokenRanges.of(Range.normalize(full)), levels(strategy), others, writers);
    }

    private static int levels(AbstractReplicationStrategy strategy)
    {
        int levels = 0;
        for (ConsistencyLevel level : LEVELS)
            if (level.blockFor(strategy) == 1)
                levels |= 1 << level.code;
        return levels;
    }

    /** @return false if the ring or the replication has changed since */
    boolean isCurrent(AbstractReplicationStrategy present, TokenMetadata ring)
    {
        return present == strategy && ring.getRingVersion() == ringVersion;
    }

    TokenRanges ranges()
    {
        return ranges;
    }

    /** With whom the node can read; null if nobody wanted to know. */
    RingReplicas others()
    {
        return others;
    }

    /** With whom the node can write; null if nobody wanted to know. */
    RingReplicas writers()
    {
        return writers;
    }

    /** One bit per consistency level: its code. */
    int levels()
    {
        return levels;
    }

    /**
     * How the door opens a table for this node alone.
     *
     * @param tombstones the number at which a read is forwarded
     */
    byte[] spec(TableId table, int tombstones)
    {
        ByteBuffer spec = ByteBuffer.allocate(29 + 16 * ranges.count());
        spec.put(VERSION).put(TableSchema.identity(table)).putInt(levels).putInt(tombstones);
        return put(spec);
    }

    /**
     * How the door opens a table to writes, whose rows have no other replica.
     *
     * @param smallestTimestamp Cassandra knows of no earlier write, in microseconds since the epoch
     */
    byte[] writesSpec(TableId table, long smallestTimestamp)
    {
        ByteBuffer spec = ByteBuffer.allocate(33 + 16 * ranges.count());
        spec.put(VERSION).put(TableSchema.identity(table)).putInt(levels).putLong(smallestTimestamp);
        return put(spec);
    }

    private byte[] put(ByteBuffer spec)
    {
        spec.putInt(ranges.count());
        for (int i = 0; i < ranges.count(); i++)
            spec.putLong(ranges.left(i)).putLong(ranges.right(i));
        return spec.array();
    }

    @Override
    public String toString()
    {
        return "RingRanges[levels " + Integer.toBinaryString(levels) + ", " + ranges.count() + " ranges of ring " + ringVersion + ']';
    }
}
