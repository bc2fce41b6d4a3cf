/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.index;

import java.util.ArrayList;
import java.util.List;

import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.RegularAndStaticColumns;
import org.apache.cassandra.db.filter.ClusteringIndexNamesFilter;
import org.apache.cassandra.db.rows.AbstractUnfilteredRowIterator;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.db.rows.Unfiltered;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.utils.btree.BTreeSet;

/**
 * The rows of a partition that are hits, read in batches. Range tombstones are left out: those that cover a row have
 * been applied to it, and a replica that has no entry for a row sends none either. For one thread.
 */
final class FoundRows extends AbstractUnfilteredRowIterator
{
    /** The first batch is short, because a LIMIT may cut it; each of the next is twice as long. */
    private static final int FIRST_BATCH = 16;
    private static final int BATCH_MAX = 256;

    private final FoundPartitions found;
    private List<Hits.Hit> batch;
    private UnfilteredRowIterator rows;
    private int at;

    FoundRows(FoundPartitions found, Hits.Hit first)
    {
        this(found, take(found, first, FIRST_BATCH));
    }

    private FoundRows(FoundPartitions found, List<Hits.Hit> batch)
    {
        this(found, batch, read(found, batch));
    }

    private FoundRows(FoundPartitions found, List<Hits.Hit> batch, UnfilteredRowIterator rows)
    {
        super(rows.metadata(), rows.partitionKey(), rows.partitionLevelDeletion(), columns(found), rows.staticRow(), false, rows.stats());
        this.found = found;
        this.batch = batch;
        this.rows = rows;
    }

    /** Those of all batches: of a batch without rows Cassandra makes a partition without columns. */
    private static RegularAndStaticColumns columns(FoundPartitions found)
    {
        return found.command().columnFilter().fetchedColumns();
    }

    /** Hits of one partition, {@code first} and those that follow. */
    private static List<Hits.Hit> take(FoundPartitions found, Hits.Hit first, int count)
    {
        List<Hits.Hit> batch = new ArrayList<>();
        batch.add(first);
        while (batch.size() < count)
        {
            Hits.Hit hit = found.takeSelected();
            if (hit == null || hit.key.compareTo(first.key) != 0)
            {
                found.putBack(hit);
                break;
            }
            batch.add(hit);
        }
        return batch;
    }

    private static UnfilteredRowIterator read(FoundPartitions found, List<Hits.Hit> batch)
    {
        DecoratedKey key = batch.get(0).key;
        BTreeSet.Builder<Clustering<?>> clusterings = BTreeSet.builder(found.metadata().comparator);
        for (Hits.Hit hit : batch)
            clusterings.add(hit.row);
        return found.read(key, new ClusteringIndexNamesFilter(clusterings.build(), false));
    }

    /** Rows come first, as those of a partition without hits are not wanted. */
    @Override
    public boolean isEmpty()
    {
        return !hasNext();
    }

    @Override
    protected Unfiltered computeNext()
    {
        while (true)
        {
            while (rows != null && rows.hasNext())
            {
                Unfiltered next = rows.next();
                if (!next.isRow())
                    continue;
                judge((Row) next);
                return next;
            }
            close();
            found.stale().remove();
            Hits.Hit hit = found.takeSelected();
            if (hit == null || !hit.key.equals(partitionKey))
            {
                found.putBack(hit);
                return endOfData();
            }
            batch = take(found, hit, Math.min(2 * batch.size() + FIRST_BATCH, BATCH_MAX));
            at = 0;
            rows = read(found, batch);
        }
    }

    /** Both are in the order of rows; some hits have no row. */
    private void judge(Row row)
    {
        while (at < batch.size() && metadata.comparator.compare(batch.get(at).row, row.clustering()) < 0)
            at++;
        if (at < batch.size() && metadata.comparator.compare(batch.get(at).row, row.clustering()) == 0)
            found.stale().judge(batch.get(at), row, partitionLevelDeletion, found.command().columnFilter());
    }

    @Override
    public void close()
    {
        if (rows != null)
            rows.close();
        rows = null;
    }
}
