/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.recipe;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

import org.apache.cassandra.db.BufferClusteringBound;
import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.ClusteringBound;
import org.apache.cassandra.db.ClusteringComparator;
import org.apache.cassandra.db.ClusteringPrefix;
import org.apache.cassandra.db.Slice;
import org.apache.cassandra.db.filter.ColumnFilter;

/** The read of a statement, with an operand in the place of each value. Immutable by convention. */
final class ReadPattern
{
    /** A clustering or a bound of a slice. */
    static final class Prefix
    {
        final ClusteringPrefix.Kind kind;
        final List<Operand> values;

        Prefix(ClusteringPrefix.Kind kind, List<Operand> values)
        {
            this.kind = kind;
            this.values = values;
        }

        ClusteringPrefix<?> in(Probe probe)
        {
            ByteBuffer[] raw = Operand.in(probe, values);
            if (kind == ClusteringPrefix.Kind.CLUSTERING)
                return raw.length == 0 ? Clustering.EMPTY : Clustering.make(raw);
            return BufferClusteringBound.create(kind, raw);
        }
    }

    final List<Operand> key;
    final boolean reversed;
    final boolean rows;
    final List<Prefix> prefixes;
    final ColumnFilter columns;
    final LimitPattern limit;
    final LimitPattern perPartitionLimit;

    ReadPattern(ProbedRead like, List<Operand> key, List<Prefix> prefixes, LimitPattern limit, LimitPattern perPartitionLimit)
    {
        this.key = key;
        this.reversed = like.reversed;
        this.rows = like.rows;
        this.prefixes = prefixes;
        this.columns = like.columns;
        this.limit = limit;
        this.perPartitionLimit = perPartitionLimit;
    }

    /** The bind variables that the read depends on. */
    BitSet binds()
    {
        BitSet binds = keyBinds();
        prefixes.forEach(prefix -> add(prefix.values, binds));
        limit.addTo(binds);
        perPartitionLimit.addTo(binds);
        return binds;
    }

    BitSet keyBinds()
    {
        BitSet binds = new BitSet();
        add(key, binds);
        return binds;
    }

    private static void add(List<Operand> operands, BitSet binds)
    {
        operands.stream().filter(Operand::isBind).forEach(operand -> binds.set(operand.bind()));
    }

    /**
     * @param read what Cassandra made of the probe; null if it reads nothing
     * @return whether substitution gives the same
     */
    boolean explains(ProbedRead read, Probe probe, ClusteringComparator comparator)
    {
        if (read == null || isEmptySlice(probe, comparator))
            return read == null && isEmptySlice(probe, comparator);
        return read.key.equals(List.of(Operand.in(probe, key)))
               && read.reversed == reversed
               && read.rows == rows
               && read.columns.equals(columns)
               && read.limit == limit.in(probe)
               && read.perPartitionLimit == perPartitionLimit.in(probe)
               && read.prefixes.equals(prefixes(probe, comparator));
    }

    /** Several slices are never empty: Cassandra would leave out the empty ones. */
    private boolean isEmptySlice(Probe probe, ClusteringComparator comparator)
    {
        return !rows && prefixes.size() == 2
               && Slice.isEmpty(comparator, (ClusteringBound<?>) prefixes.get(0).in(probe), (ClusteringBound<?>) prefixes.get(1).in(probe));
    }

    /** In clustering order, each once: Cassandra sorts rows, not slices. */
    private List<ClusteringPrefix<?>> prefixes(Probe probe, ClusteringComparator comparator)
    {
        Collection<ClusteringPrefix<?>> expected = rows ? new TreeSet<>(comparator) : new ArrayList<>();
        for (Prefix prefix : prefixes)
            expected.add(prefix.in(probe));
        return List.copyOf(expected);
    }
}
