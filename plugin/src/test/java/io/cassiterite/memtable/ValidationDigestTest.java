/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongPredicate;

import com.google.common.collect.Sets;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

import org.apache.cassandra.db.DataRange;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.Digest;
import org.apache.cassandra.db.filter.ColumnFilter;
import org.apache.cassandra.db.memtable.Memtable;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.db.partitions.PurgeFunction;
import org.apache.cassandra.db.partitions.UnfilteredPartitionIterator;
import org.apache.cassandra.db.partitions.UnfilteredPartitionIterators;
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
import static org.junit.jupiter.api.Assertions.fail;

/**
 * What a validation digests of an engine memtable is, byte for byte, what it digests of Cassandra's own memtables that got
 * the same writes, one after the other, as sstables do between flushes; after purging, whatever the engine has compacted.
 */
class ValidationDigestTest
{
    private static final OpOrder ORDER = new OpOrder();
    private static Store store;

    @BeforeContainer
    static void initialize()
    {
        store = TestMemtable.openStore("digests");
    }

    @AfterContainer
    static void close()
    {
        if (store != null)
            store.close();
    }

    @Property(tries = 60)
    void digestsAreEqual(@ForAll long seed)
    {
        Random random = new Random(seed);
        TableMetadata metadata = (random.nextInt(6) == 0 ? RandomTable.counters(random) : RandomTable.any(random))
                                 .unbuild().id(TableId.generate()).build();
        Case test = new Case(random, metadata);
        test.write();
        for (long gcBefore : new long[]{ 0, RandomRow.NOW + 1, RandomRow.NOW + 3, RandomRow.NOW + 10 })
            for (long now : new long[]{ 0, RandomRow.NOW + 2, RandomRow.NOW + 20 })
                test.compare(now, gcBefore);
        store.dropTable(TableSchema.identity(metadata.id));
    }

    private static final class Case
    {
        final Random random;
        final TableMetadata metadata;
        final RandomUpdates updates;
        final CassiteriteMemtable ours;
        final List<Memtable> theirs = new ArrayList<>();

        Case(Random random, TableMetadata metadata)
        {
            this.random = random;
            this.metadata = metadata;
            updates = new RandomUpdates(random, RandomRow.withoutTies(random, metadata), metadata);
            ours = TestMemtable.open(store, metadata);
            for (int i = 1 + random.nextInt(3); i > 0; i--)
                theirs.add(TestMemtable.stock(metadata));
        }

        void write()
        {
            for (int i = random.nextInt(40); i > 0; i--)
            {
                PartitionUpdate update = updates.next();
                if (update.isEmpty())
                    continue;
                try (OpOrder.Group group = ORDER.start())
                {
                    ours.put(update, UpdateTransaction.NO_OP, group);
                    RandomTable.pick(random, theirs).put(update, UpdateTransaction.NO_OP, group);
                }
                if (random.nextInt(8) == 0)
                    ours.table().flush();
                if (random.nextInt(20) == 0)
                    ours.table().compact();
            }
        }

        void compare(long nowInSec, long gcBefore)
        {
            Map<DecoratedKey, String> expected = digests(theirs, nowInSec, gcBefore);
            Map<DecoratedKey, String> found = digests(List.of(ours), nowInSec, gcBefore);
            Set<DecoratedKey> unlike = new TreeSet<>(Sets.union(expected.keySet(), found.keySet()));
            unlike.removeIf(key -> Objects.equals(expected.get(key), found.get(key)));
            if (!unlike.isEmpty())
                fail("now " + nowInSec + ", gcBefore " + gcBefore + "\ntheirs:" + contents(theirs, nowInSec, gcBefore, unlike) +
                     "\nours:" + contents(List.of(ours), nowInSec, gcBefore, unlike));
        }

        private Map<DecoratedKey, String> digests(List<? extends Memtable> memtables, long nowInSec, long gcBefore)
        {
            Map<DecoratedKey, String> digests = new TreeMap<>();
            try (UnfilteredPartitionIterator partitions = validated(memtables, nowInSec, gcBefore))
            {
                while (partitions.hasNext())
                    try (UnfilteredRowIterator partition = partitions.next())
                    {
                        Digest digest = Digest.forValidator();
                        UnfilteredRowIterators.digest(partition, digest, MessagingService.current_version);
                        digests.put(partition.partitionKey(), ByteBufferUtil.bytesToHex(ByteBuffer.wrap(digest.digest())));
                    }
            }
            return digests;
        }

        /** Of some partitions. */
        private String contents(List<? extends Memtable> memtables, long nowInSec, long gcBefore, Set<DecoratedKey> which)
        {
            StringBuilder text = new StringBuilder();
            try (UnfilteredPartitionIterator partitions = validated(memtables, nowInSec, gcBefore))
            {
                while (partitions.hasNext())
                    try (UnfilteredRowIterator partition = partitions.next())
                    {
                        if (!which.contains(partition.partitionKey()))
                            continue;
                        text.append('\n').append(partition.partitionKey()).append(' ').append(partition.partitionLevelDeletion())
                            .append(' ').append(PartitionContent.text(metadata, partition.staticRow()));
                        partition.forEachRemaining(one -> text.append("\n  ").append(PartitionContent.text(metadata, one)));
                    }
            }
            return text.toString();
        }

        private UnfilteredPartitionIterator validated(List<? extends Memtable> memtables, long nowInSec, long gcBefore)
        {
            List<UnfilteredPartitionIterator> sources = new ArrayList<>();
            for (Memtable memtable : memtables)
                sources.add(memtable.partitionIterator(ColumnFilter.all(metadata), DataRange.allData(metadata.partitioner),
                                                       NOOP_LISTENER));
            return Transformation.apply(UnfilteredPartitionIterators.merge(sources, null),
                                        new Purger(nowInSec, gcBefore, metadata.enforceStrictLiveness()));
        }
    }

    /** As a validation purges. */
    private static final class Purger extends PurgeFunction
    {
        Purger(long nowInSec, long gcBefore, boolean enforceStrictLiveness)
        {
            super(nowInSec, gcBefore, Long.MAX_VALUE, false, enforceStrictLiveness);
        }

        @Override
        protected LongPredicate getPurgeEvaluator()
        {
            return timestamp -> true;
        }
    }
}
