/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.schema;

import java.lang.reflect.Field;
import java.util.Set;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.index.Index;
import org.apache.cassandra.index.SecondaryIndexManager;

/**
 * Prevents an index of an engine table from answering queries: it was never built from the engine's rows, so answers
 * would silently lack some. Queries then fail with Cassandra's own "index not available".
 */
final class IndexBlocker
{
    private static final Field QUERYABLE = queryableField();

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
        try
        {
            return (Set<String>) QUERYABLE.get(manager);
        }
        catch (IllegalAccessException e)
        {
            throw new IllegalStateException("Cannot make an unsupported index non-queryable", e);
        }
    }

    private static Field queryableField()
    {
        try
        {
            Field field = SecondaryIndexManager.class.getDeclaredField("queryableIndexes");
            field.setAccessible(true);
            return field;
        }
        catch (NoSuchFieldException e)
        {
            throw new IllegalStateException("This version of Cassandra is not supported: no SecondaryIndexManager.queryableIndexes", e);
        }
    }
}
