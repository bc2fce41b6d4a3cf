/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.schema;

import java.util.Set;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.index.Index;
import org.apache.cassandra.index.SecondaryIndexManager;

import io.cassiterite.reflect.PrivateMember;

/**
 * Prevents an index of an engine table from answering queries: it was never built from the engine's rows, so answers
 * would silently lack some. Queries then fail with Cassandra's own "index not available".
 */
final class IndexBlocker
{
    private IndexBlocker()
    {
    }

    /**
     * Closes every index of the table that the engine does not keep. An index build that ends later opens it again, so
     * this is called repeatedly.
     */
    static void close(ColumnFamilyStore cfs)
    {
        for (Index index : cfs.indexManager.listIndexes())
            if (!SchemaRules.isEngineIndex(index.getIndexMetadata()) && cfs.indexManager.isIndexQueryable(index))
                close(cfs.indexManager, index);
    }

    private static void close(SecondaryIndexManager manager, Index index)
    {
        manager.makeIndexNonQueryable(index, Index.Status.BUILD_FAILED);
        if (manager.isIndexQueryable(index)) // some kinds of index stay queryable in every state
            queryable(manager).remove(index.getIndexMetadata().name);
    }

    @SuppressWarnings("unchecked")
    private static Set<String> queryable(SecondaryIndexManager manager)
    {
        return (Set<String>) PrivateMember.QUERYABLE_INDEXES.get(manager);
    }
}
