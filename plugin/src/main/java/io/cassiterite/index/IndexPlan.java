/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.index;

import java.util.Map;
import java.util.Set;

import org.apache.cassandra.db.ReadCommand;
import org.apache.cassandra.db.filter.RowFilter;
import org.apache.cassandra.index.Index;

/** Which indexes a query uses, and what it asks of each. What they find passes the whole filter of the query. */
final class IndexPlan implements Index.QueryPlan
{
    private final Map<Index, Asked> indexes;
    private final RowFilter filter;

    /** @param indexes at least one */
    IndexPlan(Map<Index, Asked> indexes, RowFilter filter)
    {
        this.indexes = indexes;
        this.filter = filter;
    }

    @Override
    public Set<Index> getIndexes()
    {
        return indexes.keySet();
    }

    @Override
    public Index.Searcher searcherFor(ReadCommand command)
    {
        return new IndexSearcher(command, indexes, filter);
    }

    /** All of it, with texts as the indexes transform them: an entry may be older than its row. */
    @Override
    public RowFilter postIndexQueryFilter()
    {
        return filter;
    }
}
