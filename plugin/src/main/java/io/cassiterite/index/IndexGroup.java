/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.index;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.function.Predicate;

import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.RegularAndStaticColumns;
import org.apache.cassandra.db.WriteContext;
import org.apache.cassandra.db.filter.RowFilter;
import org.apache.cassandra.db.lifecycle.LifecycleNewTracker;
import org.apache.cassandra.db.memtable.Memtable;
import org.apache.cassandra.index.Index;
import org.apache.cassandra.index.transactions.IndexTransaction;
import org.apache.cassandra.io.sstable.Component;
import org.apache.cassandra.io.sstable.Descriptor;
import org.apache.cassandra.io.sstable.SSTableFlushObserver;
import org.apache.cassandra.schema.TableMetadata;

/** All engine indexes of a table: a write gives entries to all of them at once, a query merges those that it can use. */
final class IndexGroup implements Index.Group
{
    static final Index.Group.Key KEY = new Index.Group.Key(IndexGroup.class);

    private final Set<Index> indexes = new CopyOnWriteArraySet<>();

    @Override
    public Set<Index> getIndexes()
    {
        return indexes;
    }

    @Override
    public void addIndex(Index index)
    {
        indexes.add(index);
    }

    @Override
    public void removeIndex(Index index)
    {
        indexes.remove(index);
    }

    @Override
    public boolean containsIndex(Index index)
    {
        return indexes.contains(index);
    }

    @Override
    public boolean isSingleton()
    {
        return false;
    }

    @Override
    public boolean handles(IndexTransaction.Type type)
    {
        return type == IndexTransaction.Type.UPDATE;
    }

    /** A write names every index that the engine has, also one that it has no entry for: the engine then knows that none is missing. */
    @Override
    public Index.Indexer indexerFor(Predicate<Index> indexSelector, DecoratedKey key, RegularAndStaticColumns columns, long nowInSec,
                                    WriteContext ctx, IndexTransaction.Type transactionType, Memtable memtable)
    {
        if (!handles(transactionType))
            return null;
        List<EngineIndex> chosen = new ArrayList<>(indexes.size());
        for (Index index : indexes)
            if (indexSelector.test(index) && ((EngineIndex) index).isCreated())
                chosen.add((EngineIndex) index);
        return chosen.isEmpty() ? null : new RowIndexer(chosen);
    }

    @Override
    public Index.QueryPlan queryPlanFor(RowFilter rowFilter)
    {
        Map<Index, Asked> all = new LinkedHashMap<>();
        Map<Index, Asked> queryable = new LinkedHashMap<>();
        for (RowFilter.Expression expression : rowFilter)
        {
            EngineIndex index = indexFor(expression);
            if (index == null)
                continue;
            all.computeIfAbsent(index, i -> new Asked(index.column())).add(expression);
            if (index.isQueryable())
                queryable.put(index, all.get(index));
        }
        if (all.isEmpty())
            return null;
        return new IndexPlan(queryable.isEmpty() ? all : queryable, TransformedFilter.of(rowFilter, this::columnFor));
    }

    private IndexedColumn columnFor(RowFilter.Expression expression)
    {
        EngineIndex index = indexFor(expression);
        return index == null ? null : index.column();
    }

    private EngineIndex indexFor(RowFilter.Expression expression)
    {
        if (expression.isCustom() || expression.isUserDefined())
            return null;
        EngineIndex found = null;
        for (Index index : indexes)
        {
            if (index.supportsExpression(expression.column(), expression.operator()))
                found = (EngineIndex) index;
            if (found != null && found.isQueryable())
                return found;
        }
        return found;
    }

    @Override
    public SSTableFlushObserver getFlushObserver(Descriptor descriptor, LifecycleNewTracker tracker, TableMetadata tableMetadata)
    {
        return null;
    }

    @Override
    public Set<Component> getComponents()
    {
        return Set.of();
    }
}
