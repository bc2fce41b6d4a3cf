/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.util.concurrent.atomic.AtomicReference;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.commitlog.CommitLogPosition;
import org.apache.cassandra.db.memtable.Memtable;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.schema.TableMetadataRef;

import io.cassiterite.engine.Store;
import io.cassiterite.engine.Table;
import io.cassiterite.engine.TableSchema;
import io.cassiterite.lifecycle.NodeStore;

/**
 * Decides what a new memtable stands for. Cassandra asks for one when it opens a table; and for another when it
 * truncates the table (a new, empty generation) or drops it (nothing: it will never be used). It asks for no other
 * reason, because an engine memtable is never switched for a flush.
 */
final class MemtableCreation
{
    private static final Logger logger = LoggerFactory.getLogger(MemtableCreation.class);

    private MemtableCreation()
    {
    }

    static CassiteriteMemtable create(AtomicReference<CommitLogPosition> lowerBound, TableMetadataRef ref, Memtable.Owner owner,
                                      CassiteriteFactory factory)
    {
        TableMetadata metadata = ref.get();
        Refusals.checkTable(metadata);
        ColumnFamilyStore cfs = owner instanceof ColumnFamilyStore ? (ColumnFamilyStore) owner : null;
        CassiteriteMemtable previous = EngineTables.find(metadata.id);
        if (previous != null && previous.owner() != owner)
        {
            // a table of the same id may have been dropped a moment ago, and its data not deleted yet
            if (previous.isDropped())
                previous.deleteData();
            previous = null;
        }
        if (previous != null && cfs != null && !cfs.keyspace.hasColumnFamilyStore(metadata.id))
        {
            previous.markDropped();
            return new CassiteriteMemtable(lowerBound, ref, owner, factory, null, null);
        }
        CassiteriteMemtable memtable = previous == null ? open(lowerBound, ref, owner, factory)
                                                        : succeed(previous, lowerBound, ref, owner, factory);
        EngineTables.put(memtable);
        return memtable;
    }

    private static CassiteriteMemtable open(AtomicReference<CommitLogPosition> lowerBound, TableMetadataRef ref,
                                            Memtable.Owner owner, CassiteriteFactory factory)
    {
        TableMetadata metadata = ref.get();
        Store store = NodeStore.get(factory.parameters());
        Table table = store.openTable(TableSchema.request(metadata), metadata.toString());
        return new CassiteriteMemtable(lowerBound, ref, owner, factory, table, null);
    }

    private static CassiteriteMemtable succeed(CassiteriteMemtable previous, AtomicReference<CommitLogPosition> lowerBound,
                                               TableMetadataRef ref, Memtable.Owner owner, CassiteriteFactory factory)
    {
        if (!previous.isCurrent())
        {
            // the table was altered away and back: its rows are still in the engine, where both find them
            logger.warn("Cassiterite goes on with the rows it has of {}", ref.get());
            return new CassiteriteMemtable(lowerBound, ref, owner, factory, previous.table(), null);
        }
        Table empty = previous.table().truncate();
        TruncatedTable truncated = previous.markTruncated();
        return new CassiteriteMemtable(lowerBound, ref, owner, factory, empty, truncated);
    }
}
