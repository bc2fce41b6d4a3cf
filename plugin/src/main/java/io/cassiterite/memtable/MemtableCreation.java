/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.util.concurrent.atomic.AtomicReference;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.Keyspace;
import org.apache.cassandra.db.commitlog.CommitLogPosition;
import org.apache.cassandra.db.memtable.Memtable;
import org.apache.cassandra.io.util.File;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.schema.TableMetadataRef;

import io.cassiterite.engine.Store;
import io.cassiterite.engine.Table;
import io.cassiterite.node.GuardedNode;
import io.cassiterite.node.NodeStore;

/**
 * Decides which generation a new memtable has. Cassandra creates one when it opens a table, another when it truncates
 * the table (a new, empty generation) or drops it (none: it will never be used). There are no other reasons, because an
 * engine memtable is never switched for a flush.
 */
final class MemtableCreation
{
    private static final Logger logger = LoggerFactory.getLogger(MemtableCreation.class);

    private static final String FOUND_PREFIX = "found";

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
        boolean known = GuardedNode.life().wasInSchema(metadata.id);
        if (previous != null && previous.owner() != owner)
        {
            // a table of the same id may just have been dropped, and its data not deleted yet
            if (previous.drop().hasBegun())
                previous.drop().finish();
            else
                known = true;
            previous = null;
        }
        if (previous != null && cfs != null && !cfs.keyspace.hasColumnFamilyStore(metadata.id))
        {
            previous.drop().begin();
            EngineTables.changes(previous);
            return new CassiteriteMemtable(lowerBound, ref, owner, factory, null, null);
        }
        CassiteriteMemtable memtable = previous == null ? open(lowerBound, ref, owner, factory, known)
                                                        : succeed(previous, lowerBound, ref, owner, factory);
        EngineTables.put(memtable);
        return memtable;
    }

    private static CassiteriteMemtable open(AtomicReference<CommitLogPosition> lowerBound, TableMetadataRef ref,
                                            Memtable.Owner owner, CassiteriteFactory factory, boolean known)
    {
        TableMetadata metadata = ref.get();
        Store store = NodeStore.get(factory.parameters());
        Table table = store.openTable(EngineMemtable.schemaRequest(metadata, owner), metadata.toString());
        boolean hasRows = !table.stats().isPristine();
        ColumnFamilyStore ofSchema = known && owner instanceof ColumnFamilyStore ? (ColumnFamilyStore) owner : null;
        if (hasRows && !known || ofSchema != null && !GuardedNode.life().keepsRows(ofSchema, hasRows))
            table = startEmpty(table, metadata, owner);
        if (ofSchema != null && !GuardedNode.life().opened(ofSchema, table))
            table.indexNames().forEach(table::dropIndex); // Cassandra makes them again, and builds them from all that there is
        dropUnknownIndexes(table, metadata);
        return new CassiteriteMemtable(lowerBound, ref, owner, factory, table, null);
    }

    /** A DROP INDEX was cut short. No write would give entries to it, and an index of its name would seem complete. */
    private static void dropUnknownIndexes(Table table, TableMetadata metadata)
    {
        for (String index : table.indexNames())
            if (!metadata.indexes.has(index))
            {
                logger.info("Dropping the index {} of {}, which is not in the schema", index, metadata);
                table.dropIndex(index);
            }
    }

    /**
     * A new table has the id of one that only the store knows: a DROP was cut short, or the schema was lost; or the
     * operator says that they are of another table's life. The old rows must not show; they are saved in a snapshot, for
     * operators to load or delete.
     */
    private static Table startEmpty(Table found, TableMetadata metadata, Memtable.Owner owner)
    {
        if (owner instanceof ColumnFamilyStore)
        {
            String name = Keyspace.getTimestampedSnapshotNameWithPrefix(metadata.name, FOUND_PREFIX);
            File folder = SnapshotLists.folder((ColumnFamilyStore) owner, name);
            found.snapshot(folder.absolutePath());
            logger.warn("Cassiterite has rows under the id {} of {}, which are not the table's. It starts without them. If they"
                        + " are wanted, load them from {}, else clear the snapshot {}", metadata.id, metadata, folder, name);
        }
        Table empty = found.truncate();
        found.retire();
        return empty;
    }

    private static CassiteriteMemtable succeed(CassiteriteMemtable previous, AtomicReference<CommitLogPosition> lowerBound,
                                               TableMetadataRef ref, Memtable.Owner owner, CassiteriteFactory factory)
    {
        if (!previous.isCurrent())
        {
            // the table was altered away and back: its rows are still in the engine, where both find them
            logger.warn("Cassiterite continues with the rows that it has of {}", ref.get());
            return new CassiteriteMemtable(lowerBound, ref, owner, factory, previous.table(), null);
        }
        Table empty;
        try
        {
            empty = previous.table().truncate();
        }
        catch (RuntimeException | Error e)
        {
            previous.truncationFailed();
            throw e;
        }
        TruncatedTable truncated = previous.markTruncated();
        CassiteriteMemtable memtable = new CassiteriteMemtable(lowerBound, ref, owner, factory, empty, truncated);
        memtable.sstables().awaitTruncation();
        memtable.catchUp(); // hears of what the TRUNCATE removes
        return memtable;
    }
}
