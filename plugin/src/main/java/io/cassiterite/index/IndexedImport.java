/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.index;

import java.util.ArrayList;
import java.util.List;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.SystemKeyspace;
import org.apache.cassandra.index.Index;

/**
 * Sstables that Cassandra imports. Their files come into the table's folder one by one, and only when all are there the
 * indexes get entries of them. A start in between opens what is there: it must find the indexes unbuilt.
 */
public final class IndexedImport
{
    private IndexedImport()
    {
    }

    /** Cassandra's part of it. */
    @FunctionalInterface
    public interface Import
    {
        Object run() throws Throwable;
    }

    /** @return what the import gives; after it has failed, the next start builds the indexes of the table again */
    public static Object take(ColumnFamilyStore cfs, Import sstables) throws Throwable
    {
        List<String> built = new ArrayList<>();
        for (Index index : cfs.indexManager.listIndexes())
        {
            String name = index.getIndexMetadata().name;
            if (SystemKeyspace.isIndexBuilt(cfs.getKeyspaceName(), name))
                built.add(name);
        }
        built.forEach(name -> SystemKeyspace.setIndexRemoved(cfs.getKeyspaceName(), name));
        Object imported = sstables.run();
        for (String name : built)
            if (cfs.indexManager.getIndexByName(name) != null)
                SystemKeyspace.setIndexBuilt(cfs.getKeyspaceName(), name);
        return imported;
    }
}
