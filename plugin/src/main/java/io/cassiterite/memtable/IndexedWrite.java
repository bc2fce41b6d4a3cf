/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.index.Index;
import org.apache.cassandra.index.transactions.UpdateTransaction;
import org.apache.cassandra.schema.TableMetadata;

import io.cassiterite.engine.DirectOutput;
import io.cassiterite.reflect.PrivateMember;

/** The indexes of a write, as an {@link Index.Indexer} brings them to the memtable. */
public interface IndexedWrite
{
    /** How many indexes there are. */
    int indexes();

    /**
     * Writes for each index what a write request has for it.
     *
     * @param isLogged false if a crash may lose the rows, but not the entries
     */
    void putEntries(DirectOutput request, PartitionUpdate update, boolean isLogged);

    /**
     * What a transaction brings.
     *
     * @return null if it brings nothing
     * @throws UnsupportedOperationException if it is also of indexes that the engine does not keep
     */
    static IndexedWrite of(UpdateTransaction transaction, TableMetadata table)
    {
        if (transaction == UpdateTransaction.NO_OP)
            return null;
        Index.Indexer[] indexers = Transactions.indexers(transaction);
        if (indexers == null || indexers.length != 1 || !(indexers[0] instanceof IndexedWrite))
            throw Refusals.indexed(table);
        return (IndexedWrite) indexers[0];
    }

    /** Looks into Cassandra's transactions. */
    final class Transactions
    {
        private static final String CLASS = "org.apache.cassandra.index.SecondaryIndexManager$WriteTimeTransaction";

        private Transactions()
        {
        }

        /** @return null if it is a transaction of another class */
        private static Index.Indexer[] indexers(UpdateTransaction transaction)
        {
            if (!transaction.getClass().getName().equals(CLASS))
                return null;
            return (Index.Indexer[]) PrivateMember.TRANSACTION_INDEXERS.get(transaction);
        }
    }
}
