/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import org.apache.cassandra.db.ConsistencyLevel;
import org.apache.cassandra.locator.AbstractReplicationStrategy;

/**
 * With whom a node can read of a keyspace, or write to it: for each range of which it is a full natural replica, the others;
 * and how many replicas a consistency level wants. Immutable.
 */
final class RingReplicas
{
    /** Those at which no data center is to have a quorum of its own. */
    private static final List<ConsistencyLevel> WRITE_LEVELS =
        List.of(ConsistencyLevel.ONE, ConsistencyLevel.LOCAL_ONE, ConsistencyLevel.TWO, ConsistencyLevel.THREE, ConsistencyLevel.QUORUM,
                ConsistencyLevel.ALL, ConsistencyLevel.LOCAL_QUORUM);
    /** Of these, those at which several replicas can answer. */
    private static final List<ConsistencyLevel> READ_LEVELS =
        List.of(ConsistencyLevel.TWO, ConsistencyLevel.THREE, ConsistencyLevel.QUORUM, ConsistencyLevel.ALL, ConsistencyLevel.LOCAL_QUORUM);

    private static final int HOST_ID_BYTES = 16;

    private final Map<ConsistencyLevel, Integer> levels = new LinkedHashMap<>();
    private final Map<UUID, Integer> hosts = new LinkedHashMap<>();
    private final Map<List<Integer>, Integer> sets = new LinkedHashMap<>();
    private final List<Span> spans = new ArrayList<>();
    /** The same for all tables of the keyspace. */
    private byte[] encoded;

    private RingReplicas()
    {
    }

    /** The others of its data center. */
    static RingReplicas ofReads(AbstractReplicationStrategy strategy, NaturalReplicas natural)
    {
        RingReplicas replicas = new RingReplicas();
        for (ConsistencyLevel level : READ_LEVELS)
            if (level.blockFor(strategy) > 1)
                replicas.levels.put(level, level.blockFor(strategy));
        return replicas.of(natural, false);
    }

    /** All others: ranges that have replicas in other data centers are left out. */
    static RingReplicas ofWrites(AbstractReplicationStrategy strategy, NaturalReplicas natural)
    {
        RingReplicas replicas = new RingReplicas();
        for (ConsistencyLevel level : WRITE_LEVELS)
            replicas.levels.put(level, level.blockFor(strategy));
        return replicas.of(natural, true);
    }

    private RingReplicas of(NaturalReplicas natural, boolean needsAll)
    {
        for (NaturalReplicas.Owned range : natural.ranges())
            if (!needsAll || range.areAllHere())
                add(range.left, range.right, number(sets, numbered(range.others)));
        join();
        encoded = write();
        return this;
    }

    private List<Integer> numbered(List<UUID> others)
    {
        List<Integer> set = new ArrayList<>();
        for (UUID host : others)
            set.add(number(hosts, host));
        set.sort(null);
        return set;
    }

    private static <T> int number(Map<T, Integer> numbers, T of)
    {
        return numbers.computeIfAbsent(of, ignored -> numbers.size());
    }

    /** Behind the left token, up to the right one; (t, t] is the whole ring. */
    private void add(long left, long right, int set)
    {
        if (left < right)
        {
            spans.add(new Span(left, right, set));
            return;
        }
        if (left != Long.MAX_VALUE)
            spans.add(new Span(left, Long.MAX_VALUE, set));
        if (right != Long.MIN_VALUE)
            spans.add(new Span(Long.MIN_VALUE, right, set));
    }

    /** Sorts the ranges, and makes one of those that touch and have the same replicas. */
    private void join()
    {
        List<Span> sorted = new ArrayList<>(spans);
        sorted.sort(Comparator.comparingLong(span -> span.left));
        spans.clear();
        for (Span span : sorted)
        {
            Span last = spans.isEmpty() ? null : spans.get(spans.size() - 1);
            if (last != null && last.right == span.left && last.set == span.set)
                spans.set(spans.size() - 1, new Span(last.left, span.right, span.set));
            else
                spans.add(span);
        }
    }

    /** The part of a table's opening (docs/internals/boundary.md). */
    byte[] encoded()
    {
        return encoded;
    }

    private byte[] write()
    {
        int members = sets.keySet().stream().mapToInt(List::size).sum();
        ByteBuffer out = ByteBuffer.allocate(16 + 3 * levels.size() + HOST_ID_BYTES * hosts.size() + 4 * sets.size() + 2 * members +
                                             20 * spans.size());
        out.putInt(levels.size());
        levels.forEach((level, wanted) -> out.put((byte) level.code).putShort(wanted.shortValue()));
        out.putInt(hosts.size());
        hosts.keySet().forEach(host -> out.putLong(host.getMostSignificantBits()).putLong(host.getLeastSignificantBits()));
        out.putInt(sets.size());
        for (List<Integer> set : sets.keySet())
        {
            out.putInt(set.size());
            set.forEach(host -> out.putShort(host.shortValue()));
        }
        out.putInt(spans.size());
        spans.forEach(span -> out.putLong(span.left).putLong(span.right).putInt(span.set));
        return out.array();
    }

    @Override
    public String toString()
    {
        return "RingReplicas[levels " + levels + ", " + hosts.size() + " hosts, " + spans.size() + " ranges]";
    }

    /** Behind the left token, up to the right one. */
    private static final class Span
    {
        final long left;
        final long right;
        final int set;

        Span(long left, long right, int set)
        {
            this.left = left;
            this.right = right;
            this.set = set;
        }
    }
}
