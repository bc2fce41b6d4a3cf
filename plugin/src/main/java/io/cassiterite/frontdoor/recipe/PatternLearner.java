/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.recipe;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

import org.apache.cassandra.cql3.statements.SelectStatement;
import org.apache.cassandra.db.ClusteringPrefix;
import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.utils.ByteBufferUtil;

import static io.cassiterite.frontdoor.recipe.RefusedException.refuseIf;

/**
 * Finds the pattern of a statement's read. Probes of values that all differ tell which bind variable goes where. More
 * probes, also of equal and of empty values, then check that substitution gives what Cassandra gives.
 */
final class PatternLearner
{
    private static final int LIMIT_PROBES = 4;
    /** An empty slice tells nothing, and about every second one is empty. */
    private static final int PROBES = 32;
    private static final int CHECKS = 96;
    private static final int MAX_CROWD = 3;

    private final SelectStatement statement;
    private final byte[] bindTypes;
    private final byte[] keyTypes;
    private final byte[] clusteringTypes;

    PatternLearner(SelectStatement statement, byte[] bindTypes)
    {
        this.statement = statement;
        this.bindTypes = bindTypes;
        this.keyTypes = codes(statement.table.partitionKeyColumns());
        this.clusteringTypes = codes(statement.table.clusteringColumns());
    }

    private static byte[] codes(List<ColumnMetadata> columns)
    {
        byte[] codes = new byte[columns.size()];
        for (int i = 0; i < codes.length; i++)
            codes[i] = KeyTypes.code(columns.get(i).type, RecipeRefusal.KEY_TYPE);
        return codes;
    }

    ReadPattern learn()
    {
        List<Probe> positive = probes(new Probes(bindTypes, ints()), LIMIT_PROBES);
        LimitPattern limit = LimitPattern.learn(positive, statement::getLimit);
        LimitPattern perPartitionLimit = LimitPattern.learn(positive, statement::getPerPartitionLimit);
        BitSet limits = new BitSet();
        limit.addTo(limits);
        perPartitionLimit.addTo(limits);

        Probes probes = new Probes(bindTypes, limits);
        ReadPattern pattern = explain(probes(probes, PROBES), limit, perPartitionLimit);
        refuseIf(pattern.binds().cardinality() != bindTypes.length, RecipeRefusal.UNEXPLAINED);
        check(pattern, probes);
        return pattern;
    }

    private BitSet ints()
    {
        BitSet ints = new BitSet();
        for (int i = 0; i < bindTypes.length; i++)
            ints.set(i, bindTypes[i] == KeyTypes.INT);
        return ints;
    }

    private static List<Probe> probes(Probes source, int count)
    {
        List<Probe> probes = new ArrayList<>();
        for (int i = 0; i < count; i++)
            probes.add(source.distinct());
        return probes;
    }

    private ReadPattern explain(List<Probe> probes, LimitPattern limit, LimitPattern perPartitionLimit)
    {
        ProbedRead first = null;
        List<ClusteringPrefix<?>> form = null;
        List<List<Candidates>> places = new ArrayList<>();
        for (Probe probe : probes)
        {
            ProbedRead read = ProbedRead.of(statement, probe);
            if (read == null)
                continue;
            List<ClusteringPrefix<?>> prefixes = align(read, probe);
            if (first == null)
            {
                first = read;
                form = prefixes;
            }
            refuseIf(!haveForm(prefixes, form), RecipeRefusal.UNEXPLAINED);
            Candidates.narrow(places, 0, keyTypes, probe, read.key);
            for (int i = 0; i < prefixes.size(); i++)
                Candidates.narrow(places, i + 1, clusteringTypes, probe, List.of(prefixes.get(i).getBufferArray()));
        }
        refuseIf(first == null, RecipeRefusal.NO_READ);

        List<ReadPattern.Prefix> patterns = new ArrayList<>();
        for (int i = 0; i < form.size(); i++)
            patterns.add(new ReadPattern.Prefix(form.get(i).kind(), Candidates.resolve(places.get(i + 1))));
        return new ReadPattern(first, Candidates.resolve(places.get(0)), patterns, limit, perPartitionLimit);
    }

    private static boolean haveForm(List<ClusteringPrefix<?>> prefixes, List<ClusteringPrefix<?>> form)
    {
        if (prefixes.size() != form.size())
            return false;
        for (int i = 0; i < prefixes.size(); i++)
            if (prefixes.get(i).kind() != form.get(i).kind() || prefixes.get(i).size() != form.get(i).size())
                return false;
        return true;
    }

    /** Rows come in the order of the probe's values; they are put into one order of their variables. */
    private List<ClusteringPrefix<?>> align(ProbedRead read, Probe probe)
    {
        if (!read.rows || read.prefixes.size() == 1)
            return read.prefixes;
        SortedMap<String, ClusteringPrefix<?>> bySource = new TreeMap<>();
        for (ClusteringPrefix<?> prefix : read.prefixes)
            refuseIf(bySource.put(source(prefix, probe), prefix) != null, RecipeRefusal.UNEXPLAINED);
        return List.copyOf(bySource.values());
    }

    private String source(ClusteringPrefix<?> prefix, Probe probe)
    {
        StringBuilder source = new StringBuilder();
        for (int i = 0; i < prefix.size(); i++)
        {
            byte type = clusteringTypes[i];
            ByteBuffer value = prefix.getBufferArray()[i];
            // booleans of different variables look alike
            BitSet binds = type == KeyTypes.BOOLEAN ? new BitSet() : probe.binds(type, value);
            if (type == KeyTypes.BOOLEAN)
                source.append('?');
            else if (binds.isEmpty())
                source.append(ByteBufferUtil.bytesToHex(value));
            else
                source.append(String.format("$%05d", binds.nextSetBit(0)));
            source.append(',');
        }
        return source.toString();
    }

    private void check(ReadPattern pattern, Probes probes)
    {
        BitSet filled = pattern.keyBinds();
        for (int i = 0; i < CHECKS; i++)
        {
            Probe probe = probes.trial(i, MAX_CROWD, filled);
            ProbedRead read = ProbedRead.of(statement, probe);
            refuseIf(!pattern.explains(read, probe, statement.table.comparator), RecipeRefusal.UNEXPLAINED);
        }
    }
}
