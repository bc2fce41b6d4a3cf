/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.index;

import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.schema.Schema;

/**
 * Which tables and indexes are being dropped: a failure of their builds is none then. Cassandra takes either out of its
 * maps before it does anything else. A table is not in them either while it is being opened. Thread-safe.
 */
final class Drops
{
    private static final Set<ColumnFamilyStore> OPENED = Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    private Drops()
    {
    }

    /** Whether an index is dropped, or its table. */
    static boolean isGone(ColumnFamilyStore cfs, EngineIndex index)
    {
        return isGone(cfs) || cfs.indexManager.getIndexByName(index.name()) != index;
    }

    /** Whether a table is dropped. To be asked now and then: one that it has never met may still be about to be opened. */
    static boolean isGone(ColumnFamilyStore cfs)
    {
        if (present(cfs) != cfs)
            return !cfs.isValid() || OPENED.contains(cfs);
        OPENED.add(cfs);
        return false;
    }

    private static ColumnFamilyStore present(ColumnFamilyStore cfs)
    {
        try
        {
            return Schema.instance.getColumnFamilyStoreInstance(cfs.metadata.id);
        }
        catch (IllegalArgumentException e)
        {
            return null; // taken out just now
        }
    }
}
