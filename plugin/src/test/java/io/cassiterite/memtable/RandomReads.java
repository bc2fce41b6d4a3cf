/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.util.Random;
import java.util.TreeSet;

import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.ClusteringBound;
import org.apache.cassandra.db.DataRange;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.PartitionPosition;
import org.apache.cassandra.db.Slice;
import org.apache.cassandra.db.Slices;
import org.apache.cassandra.db.filter.ClusteringIndexFilter;
import org.apache.cassandra.db.filter.ClusteringIndexNamesFilter;
import org.apache.cassandra.db.filter.ClusteringIndexSliceFilter;
import org.apache.cassandra.db.filter.ColumnFilter;
import org.apache.cassandra.db.marshal.UserType;
import org.apache.cassandra.db.rows.CellPath;
import org.apache.cassandra.dht.AbstractBounds;
import org.apache.cassandra.dht.Bounds;
import org.apache.cassandra.dht.ExcludingBounds;
import org.apache.cassandra.dht.IncludingExcludingBounds;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.btree.BTreeSet;

/** Random filters and ranges over what {@link RandomUpdates} writes. */
final class RandomReads
{
    private final Random random;
    private final TableMetadata metadata;
    private final RandomUpdates updates;

    RandomReads(Random random, TableMetadata metadata, RandomUpdates updates)
    {
        this.random = random;
        this.metadata = metadata;
        this.updates = updates;
    }

    DataRange dataRange()
    {
        DataRange range = new DataRange(bounds(), filter());
        if (random.nextInt(3) > 0 || !(range.startKey() instanceof DecoratedKey) || range.keyRange() instanceof Range)
            return range;
        return range.forPaging(range.keyRange(), metadata.comparator, updates.clustering(), random.nextBoolean());
    }

    ClusteringIndexFilter filter()
    {
        boolean reversed = random.nextInt(3) == 0;
        switch (random.nextInt(4))
        {
            case 0:
                return new ClusteringIndexSliceFilter(Slices.ALL, reversed);
            case 1:
                TreeSet<Clustering<?>> names = new TreeSet<>(metadata.comparator);
                for (int i = 1 + random.nextInt(4); i > 0; i--)
                    names.add(updates.clustering());
                BTreeSet.Builder<Clustering<?>> selected = BTreeSet.builder(metadata.comparator);
                return new ClusteringIndexNamesFilter(selected.addAll(names).build(), reversed);
            default:
                Slices.Builder slices = new Slices.Builder(metadata.comparator);
                for (int i = 1 + random.nextInt(3); i > 0; i--)
                {
                    ClusteringBound<?> start = updates.rows.bound(true);
                    ClusteringBound<?> end = updates.rows.bound(false);
                    if (!Slice.isEmpty(metadata.comparator, start, end))
                        slices.add(start, end);
                }
                return new ClusteringIndexSliceFilter(slices.build(), reversed);
        }
    }

    ColumnFilter columnFilter()
    {
        return columnFilter(random, metadata);
    }

    static ColumnFilter columnFilter(Random random, TableMetadata metadata)
    {
        if (random.nextInt(4) == 0)
            return ColumnFilter.all(metadata);
        ColumnFilter.Builder builder = random.nextBoolean() ? ColumnFilter.selectionBuilder()
                                                            : ColumnFilter.allRegularColumnsBuilder(metadata, random.nextBoolean());
        for (ColumnMetadata column : metadata.columns())
        {
            if (column.isPrimaryKeyColumn() || random.nextBoolean())
                continue;
            if (column.isComplex() && random.nextBoolean() && !(column.type instanceof UserType))
                builder.select(column, CellPath.create(RandomValue.nativeValue(random, Columns.pathType(column))));
            else
                builder.add(column);
        }
        return builder.build();
    }

    private AbstractBounds<PartitionPosition> bounds()
    {
        PartitionPosition minimum = Murmur3Partitioner.instance.getMinimumToken().minKeyBound();
        PartitionPosition left = random.nextInt(3) == 0 ? minimum : position();
        PartitionPosition right = random.nextInt(3) == 0 ? minimum : position();
        if (!right.isMinimum() && !left.isMinimum() && left.compareTo(right) >= 0)
            right = minimum;
        switch (random.nextInt(4))
        {
            case 0: return new Bounds<>(left, right);
            case 1: return new Range<>(left, right);
            case 2: return left.equals(right) ? new Bounds<>(left, right) : new ExcludingBounds<>(left, right);
            default: return left.equals(right) ? new Bounds<>(left, right) : new IncludingExcludingBounds<>(left, right);
        }
    }

    private PartitionPosition position()
    {
        DecoratedKey key = updates.key();
        switch (random.nextInt(3))
        {
            case 0: return key.getToken().minKeyBound();
            case 1: return key.getToken().maxKeyBound();
            default: return key;
        }
    }
}
