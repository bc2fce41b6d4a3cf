/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.nio.ByteBuffer;
import java.util.Random;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.Digest;
import org.apache.cassandra.db.EmptyIterators;
import org.apache.cassandra.db.Slices;
import org.apache.cassandra.db.filter.ClusteringIndexFilter;
import org.apache.cassandra.db.filter.ColumnFilter;
import org.apache.cassandra.db.memtable.Memtable;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.db.rows.UnfilteredRowIterators;
import org.apache.cassandra.db.transform.Transformation;
import org.apache.cassandra.index.transactions.UpdateTransaction;
import org.apache.cassandra.net.MessagingService;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.ByteBufferUtil;
import org.apache.cassandra.utils.concurrent.OpOrder;

import io.cassiterite.engine.Store;
import io.cassiterite.engine.TableSchema;

import static org.apache.cassandra.io.sstable.SSTableReadsListener.NOOP_LISTENER;
import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * What a query's digest on an engine replica is, is that of a stock replica that has everything in one memtable, but for
 * what only the engine keeps: cells that Cassandra's filter leaves out of rows whose liveness expires.
 */
class ReadDigestTest
{
    private static final OpOrder ORDER = new OpOrder();
    private static Store store;

    @BeforeContainer
    static void initialize()
    {
        store = TestMemtable.openStore("read-digests");
    }

    @AfterContainer
    static void close()
    {
        if (store != null)
            store.close();
    }

    @Property(tries = 40)
    void digestsAreEqual(@ForAll long seed)
    {
        Random random = new Random(seed);
        TableMetadata metadata = (random.nextInt(6) == 0 ? RandomTable.counters(random) : RandomTable.any(random))
                                 .unbuild().id(TableId.generate()).build();
        RandomUpdates updates = new RandomUpdates(random, RandomRow.withoutTies(random, metadata), metadata);
        RandomReads reads = new RandomReads(random, metadata, updates);
        CassiteriteMemtable ours = TestMemtable.open(store, metadata);
        Memtable theirs = TestMemtable.stock(metadata);
        for (int i = random.nextInt(40); i > 0; i--)
            put(updates.next(), ours, theirs);
        for (int i = 0; i < 40; i++)
        {
            DecoratedKey key = updates.key();
            ClusteringIndexFilter rows = reads.filter();
            ColumnFilter columns = reads.columnFilter();
            if (rows.getSlices(metadata).isEmpty())
                continue; // no query asks for no slice
            UnfilteredRowIterator mine = Transformation.apply(read(ours, key, rows, columns), new Leaving(columns, metadata));
            assertEquals(digest(read(theirs, key, rows, columns)), digest(mine), () -> rows.toString(metadata) + ' ' + columns);
        }
        store.dropTable(TableSchema.identity(metadata.id));
    }

    private static void put(PartitionUpdate update, Memtable... memtables)
    {
        for (Memtable memtable : memtables)
            if (!update.isEmpty())
                try (OpOrder.Group group = ORDER.start())
                {
                    memtable.put(update, UpdateTransaction.NO_OP, group);
                }
    }

    private static UnfilteredRowIterator read(Memtable memtable, DecoratedKey key, ClusteringIndexFilter rows, ColumnFilter columns)
    {
        Slices slices = rows.getSlices(memtable.metadata());
        UnfilteredRowIterator found = memtable.rowIterator(key, slices, columns, rows.isReversed(), NOOP_LISTENER);
        return found != null ? found : EmptyIterators.unfilteredRow(memtable.metadata(), key, rows.isReversed());
    }

    private static String digest(UnfilteredRowIterator partition)
    {
        try (partition)
        {
            if (partition.isEmpty())
                return "nothing";
            Digest digest = Digest.forReadResponse();
            UnfilteredRowIterators.digest(partition, digest, MessagingService.current_version);
            return ByteBufferUtil.bytesToHex(ByteBuffer.wrap(digest.digest()));
        }
    }

    /** Leaves out what Cassandra's filter does. */
    private static final class Leaving extends Transformation<UnfilteredRowIterator>
    {
        private final ColumnFilter columns;
        private final TableMetadata metadata;

        Leaving(ColumnFilter columns, TableMetadata metadata)
        {
            this.columns = columns;
            this.metadata = metadata;
        }

        @Override
        protected Row applyToRow(Row row)
        {
            return row instanceof ExpiringRow ? row.transformAndFilter(data -> data).filter(columns, metadata) : row;
        }
    }
}
