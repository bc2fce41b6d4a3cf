/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.recipe;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.apache.cassandra.cql3.QueryOptions;
import org.apache.cassandra.cql3.statements.SelectStatement;
import org.apache.cassandra.db.ClusteringPrefix;
import org.apache.cassandra.db.ReadQuery;
import org.apache.cassandra.db.SinglePartitionReadQuery;
import org.apache.cassandra.db.Slice;
import org.apache.cassandra.db.filter.ClusteringIndexFilter;
import org.apache.cassandra.db.filter.ClusteringIndexNamesFilter;
import org.apache.cassandra.db.filter.ClusteringIndexSliceFilter;
import org.apache.cassandra.db.filter.ColumnFilter;

/** What Cassandra reads for a statement and the values of a probe. */
final class ProbedRead
{
    /** Any moment: only rows depend on it. */
    private static final long NOW_S = 1_000_000;

    final List<ByteBuffer> key;
    final boolean reversed;
    /** Whether single rows are read, not slices. */
    final boolean rows;
    /** For rows one clustering each, for slices two bounds each; in clustering order. */
    final List<ClusteringPrefix<?>> prefixes = new ArrayList<>();
    final ColumnFilter columns;
    final int limit;
    final int perPartitionLimit;

    private ProbedRead(SinglePartitionReadQuery query)
    {
        key = List.of(SelectStatement.getComponents(query.metadata(), query.partitionKey()));
        columns = query.columnFilter();
        limit = query.limits().count();
        perPartitionLimit = query.limits().perPartitionCount();
        ClusteringIndexFilter filter = query.clusteringIndexFilter();
        reversed = filter.isReversed();
        rows = filter instanceof ClusteringIndexNamesFilter;
        if (rows)
        {
            prefixes.addAll(((ClusteringIndexNamesFilter) filter).requestedRows());
            return;
        }
        for (Slice slice : ((ClusteringIndexSliceFilter) filter).requestedSlices())
        {
            prefixes.add(slice.start());
            prefixes.add(slice.end());
        }
    }

    /** @return null if Cassandra answers without a read, because the values leave nothing to read */
    static ProbedRead of(SelectStatement statement, Probe probe)
    {
        QueryOptions options = probe.options();
        RefusedException.refuseIf(statement.getSelection().newSelectors(options).hasProcessing(), RecipeRefusal.COMPUTED);
        ReadQuery query = statement.getQuery(options, NOW_S);
        if (query.isEmpty())
            return null;
        RefusedException.refuseIf(!(query instanceof SinglePartitionReadQuery.Group), RecipeRefusal.KEY_RANGE);
        List<? extends SinglePartitionReadQuery> queries = ((SinglePartitionReadQuery.Group<?>) query).queries;
        RefusedException.refuseIf(queries.size() != 1, RecipeRefusal.KEYS);
        SinglePartitionReadQuery single = queries.get(0);
        RefusedException.refuseIf(!single.rowFilter().isEmpty(), RecipeRefusal.ROW_FILTER);
        RefusedException.refuseIf(single.limits().isDistinct() || single.limits().isGroupByLimit(), RecipeRefusal.GROUP_BY);
        ProbedRead read = new ProbedRead(single);
        RefusedException.refuseIf(read.prefixes.isEmpty(), RecipeRefusal.NO_READ);
        for (ClusteringPrefix<?> prefix : read.prefixes)
            RefusedException.refuseIf(Arrays.asList(prefix.getBufferArray()).contains(null), RecipeRefusal.UNEXPLAINED);
        return read;
    }
}
