/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.function.LongPredicate;
import java.util.function.ToIntFunction;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

import org.apache.cassandra.db.Columns;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.DeletionTime;
import org.apache.cassandra.db.Digest;
import org.apache.cassandra.db.EmptyIterators;
import org.apache.cassandra.db.Slices;
import org.apache.cassandra.db.filter.ClusteringIndexFilter;
import org.apache.cassandra.db.filter.ColumnFilter;
import org.apache.cassandra.db.filter.DataLimits;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.db.partitions.PurgeFunction;
import org.apache.cassandra.db.partitions.SingletonUnfilteredPartitionIterator;
import org.apache.cassandra.db.partitions.UnfilteredPartitionIterator;
import org.apache.cassandra.db.partitions.UnfilteredPartitionIterators;
import org.apache.cassandra.db.rows.RangeTombstoneMarker;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.db.rows.Rows;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.db.transform.RTBoundCloser;
import org.apache.cassandra.db.transform.Transformation;
import org.apache.cassandra.net.MessagingService;
import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.ByteBufferUtil;

import io.cassiterite.engine.Buffers;
import io.cassiterite.engine.DirectOutput;
import io.cassiterite.engine.EngineTestAccess;
import io.cassiterite.engine.Store;
import io.cassiterite.engine.TableSchema;
import io.cassiterite.frontdoor.recipe.TableLayout;

import static org.apache.cassandra.io.sstable.SSTableReadsListener.NOOP_LISTENER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * F6: the doors of two replicas agree on a read if and only if Cassandra finds their digests equal. The replicas have
 * the same writes in other orders, or one of them lacks some.
 */
class PeerDigestTest
{
    /** Seconds around the times of the writes. */
    private static final int MAX_AGE = 14;

    private static Store store;

    @BeforeContainer
    static void initialize()
    {
        store = TestMemtable.openStore("peer-digests");
    }

    @AfterContainer
    static void close()
    {
        if (store != null)
            store.close();
    }

    /** Without equal timestamps: of a value that is empty Cassandra's digest does not tell whether it is deleted. */
    @Property(tries = 60)
    void doorsAgreeWhereCassandraDoes(@ForAll long seed)
    {
        Random random = new Random(seed);
        TableMetadata metadata = comparableTable(random);
        Pair pair = new Pair(random, metadata, RandomRow.withoutTies(random, metadata));
        for (int i = 0; i < 60; i++)
        {
            Read read = pair.read();
            assertEquals(read.cassandraAgrees(), read.doorsAgree(), read::toString);
        }
        pair.drop();
    }

    /** Of a deletion within another of the same time Cassandra's digest has more or less; then what it merges to counts. */
    @Property(tries = 60)
    void doorsNeverAgreeWhereCassandraDoesNot(@ForAll long seed)
    {
        Random random = new Random(seed);
        TableMetadata metadata = comparableTable(random);
        Pair pair = new Pair(random, metadata, RandomRow.mergedInAnyOrder(random, metadata));
        pair.merges = true;
        for (int i = 0; i < 60; i++)
        {
            Read read = pair.read();
            assertTrue(!read.doorsAgree() || read.cassandraAgrees(), read::toString);
        }
        pair.drop();
    }

    private static TableMetadata comparableTable(Random random)
    {
        while (true)
        {
            TableMetadata metadata = RandomTable.any(random);
            if (TableLayout.of(metadata, column -> 1) != null)
                return metadata;
        }
    }

    /** Two replicas of a table. */
    private static final class Pair
    {
        final Random random;
        final TableMetadata metadata;
        final RandomUpdates updates;
        final RandomReads reads;
        final CassiteriteMemtable one;
        final CassiteriteMemtable other;
        /** Whether Cassandra merges what it reads with itself before it digests it. */
        boolean merges;

        Pair(Random random, TableMetadata metadata, RandomRow rows)
        {
            this.random = random;
            this.metadata = metadata;
            updates = new RandomUpdates(random, rows, metadata);
            reads = new RandomReads(random, metadata, updates);
            one = replica();
            other = replica();
            List<PartitionUpdate> history = new ArrayList<>();
            for (int i = 1 + random.nextInt(40); i > 0; i--)
                history.add(updates.next());
            write(history, one);
            Collections.shuffle(history, random);
            for (int lacking = Math.max(0, random.nextInt(6) - 2); lacking > 0 && !history.isEmpty(); lacking--)
                history.remove(history.size() - 1);
            write(history, other);
        }

        private CassiteriteMemtable replica()
        {
            return TestMemtable.open(store, metadata.unbuild().id(TableId.generate()).build());
        }

        private void write(List<PartitionUpdate> history, CassiteriteMemtable replica)
        {
            for (PartitionUpdate update : history)
            {
                if (!update.isEmpty())
                    TestMemtable.put(replica, update);
                if (random.nextInt(8) == 0)
                    replica.table().flush();
                if (random.nextInt(20) == 0)
                    replica.table().compact();
            }
        }

        Read read()
        {
            ClusteringIndexFilter rows = reads.filter();
            while (rows.getSlices(metadata).isEmpty())
                rows = reads.filter();
            return new Read(this, updates.key(), rows, columns());
        }

        /** Whole columns, as statements of recipes have them. */
        private ColumnFilter columns()
        {
            if (random.nextInt(4) == 0)
                return ColumnFilter.all(metadata);
            ColumnFilter.Builder builder = random.nextBoolean() ? ColumnFilter.selectionBuilder()
                                                                : ColumnFilter.allRegularColumnsBuilder(metadata, random.nextBoolean());
            for (ColumnMetadata column : metadata.regularAndStaticColumns())
                if (random.nextBoolean())
                    builder.add(column);
            return builder.build();
        }

        void drop()
        {
            for (CassiteriteMemtable replica : List.of(one, other))
                store.dropTable(TableSchema.identity(replica.metadata().id));
        }
    }

    /** One read of both. */
    private static final class Read
    {
        final Pair pair;
        final DecoratedKey key;
        final ClusteringIndexFilter rows;
        final ColumnFilter columns;
        final int limit;
        final long now;
        final long gcBefore;

        Read(Pair pair, DecoratedKey key, ClusteringIndexFilter rows, ColumnFilter columns)
        {
            this.pair = pair;
            this.key = key;
            this.rows = rows;
            this.columns = columns;
            limit = pair.random.nextBoolean() ? DataLimits.NO_LIMIT : 1 + pair.random.nextInt(4);
            now = RandomRow.NOW + pair.random.nextInt(MAX_AGE);
            gcBefore = RandomRow.NOW - MAX_AGE + pair.random.nextInt(MAX_AGE + 4);
        }

        boolean cassandraAgrees()
        {
            return cassandras(pair.one).equals(cassandras(pair.other));
        }

        boolean doorsAgree()
        {
            return doors(pair.one).equals(doors(pair.other));
        }

        /** As {@code ReadCommand.executeLocally} and {@code ReadResponse} have it. */
        private String cassandras(CassiteriteMemtable replica)
        {
            Slices slices = rows.getSlices(replica.metadata());
            UnfilteredRowIterator found = replica.rowIterator(key, slices, columns, rows.isReversed(), NOOP_LISTENER);
            if (found == null)
                found = EmptyIterators.unfilteredRow(replica.metadata(), key, rows.isReversed());
            if (pair.merges)
                found = Transformation.apply(found, new Merging(found.partitionLevelDeletion(), rows.isReversed()));
            UnfilteredPartitionIterator partitions = new SingletonUnfilteredPartitionIterator(found);
            partitions = Transformation.apply(partitions, new Purging(now, gcBefore));
            partitions = DataLimits.cqlLimits(limit).filter(partitions, now, false);
            try (UnfilteredPartitionIterator all = RTBoundCloser.close(partitions))
            {
                Digest digest = Digest.forReadResponse();
                UnfilteredPartitionIterators.digest(all, digest, MessagingService.current_version);
                return ByteBufferUtil.bytesToHex(ByteBuffer.wrap(digest.digest()));
            }
        }

        private String doors(CassiteriteMemtable replica)
        {
            byte[] digest = EngineTestAccess.digest(replica.table(), spec(replica), read(replica));
            assertNotNull(digest, this::toString);
            return ByteBufferUtil.bytesToHex(ByteBuffer.wrap(digest));
        }

        private byte[] spec(CassiteriteMemtable replica)
        {
            ToIntFunction<ColumnMetadata> ids = replica.columnIds();
            byte[] layout = TableLayout.of(replica.metadata(), ids);
            ByteBuffer out = ByteBuffer.allocate(64 << 10);
            out.put((byte) 1).put(new byte[16]).putInt(layout.length).put(layout);
            putColumns(columns.fetchedColumns().regulars, ids, out);
            putColumns(columns.fetchedColumns().statics, ids, out);
            return ByteBufferUtil.getArray(out.flip());
        }

        private void putColumns(Columns fetched, ToIntFunction<ColumnMetadata> ids, ByteBuffer out)
        {
            List<ColumnMetadata> sorted = new ArrayList<>();
            fetched.forEach(sorted::add);
            sorted.sort(Comparator.comparingInt(ids));
            out.putShort((short) sorted.size());
            for (ColumnMetadata column : sorted)
                out.putInt(ids.applyAsInt(column)).put((byte) (columns.fetchedColumnIsQueried(column) ? 1 : 0));
        }

        private byte[] read(CassiteriteMemtable replica)
        {
            DirectOutput request = Buffers.request();
            ReadRequests.putRead(request, replica.columns().keys, key, rows.getSlices(replica.metadata()), rows.isReversed(),
                                 !columns.fetchedColumns().statics.isEmpty(), ReadRequests.FIRST_CHUNK_BYTES, ReadRequests.NO_BOUND);
            ByteBuffer out = ByteBuffer.allocate(37 + request.length());
            out.put((byte) 1).put(new byte[16]).putLong(now).putLong(gcBefore).putInt(limit).put(request.copyFrom(0));
            return out.array();
        }

        @Override
        public String toString()
        {
            return rows.toString(pair.metadata) + ' ' + columns + " limit " + limit + " at " + now + ", gone before " + gcBefore;
        }
    }

    /** As a coordinator merges a partition with itself. */
    private static final class Merging extends Transformation<UnfilteredRowIterator>
    {
        private final DeletionTime partition;
        private final boolean reversed;
        private DeletionTime active;

        Merging(DeletionTime partition, boolean reversed)
        {
            this.partition = partition;
            this.reversed = reversed;
            active = partition;
        }

        @Override
        protected Row applyToStatic(Row row)
        {
            Row merged = row.isEmpty() ? null : PartitionContent.normal(row, partition);
            return merged == null ? Rows.EMPTY_STATIC_ROW : merged;
        }

        @Override
        protected Row applyToRow(Row row)
        {
            return PartitionContent.normal(row, active);
        }

        @Override
        protected RangeTombstoneMarker applyToMarker(RangeTombstoneMarker marker)
        {
            active = marker.isOpen(reversed) ? marker.openDeletionTime(reversed) : partition;
            return marker;
        }
    }

    /** As {@code ReadCommand.withoutPurgeableTombstones} makes it. */
    private static final class Purging extends PurgeFunction
    {
        Purging(long now, long gcBefore)
        {
            super(now, gcBefore, Long.MAX_VALUE, false, false);
        }

        @Override
        protected LongPredicate getPurgeEvaluator()
        {
            return time -> true;
        }
    }
}
