/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;

import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.DeletionTime;
import org.apache.cassandra.db.MutableDeletionInfo;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.schema.TableMetadata;

/** Random updates of a few partitions and rows of a table, which therefore often overlap. */
final class RandomUpdates
{
    final Random random;
    final TableMetadata metadata;
    final RandomRow rows;
    final List<DecoratedKey> keys = new ArrayList<>();
    final List<Clustering<?>> clusterings = new ArrayList<>();

    RandomUpdates(Random random, RandomRow rows, TableMetadata metadata)
    {
        this.random = random;
        this.metadata = metadata;
        this.rows = rows;
        for (int i = 1 + random.nextInt(6); i > 0; i--)
            keys.add(Murmur3Partitioner.instance.decorateKey(ByteBuffer.wrap(new byte[]{ (byte) (i % 3), (byte) i })));
        for (int i = 1 + random.nextInt(12); i > 0; i--)
            clusterings.add(rows.clustering());
    }

    DecoratedKey key()
    {
        return RandomTable.pick(random, keys);
    }

    Clustering<?> clustering()
    {
        return RandomTable.pick(random, clusterings);
    }

    /** @return an update, perhaps an empty one */
    PartitionUpdate next()
    {
        PartitionUpdate.Builder builder = new PartitionUpdate.Builder(metadata, key(), metadata.regularAndStaticColumns(), 4);
        TreeSet<Clustering<?>> written = new TreeSet<>(metadata.comparator);
        for (int i = random.nextInt(5); i > 0; i--)
        {
            Clustering<?> clustering = clustering();
            if (written.add(clustering))
                addIfAny(builder, rows.row(clustering));
        }
        if (!metadata.staticColumns().isEmpty() && random.nextInt(4) == 0)
            addIfAny(builder, rows.row(Clustering.STATIC_CLUSTERING));
        if (random.nextInt(5) == 0)
        {
            MutableDeletionInfo deletion = rows.deletionInfo();
            builder.addPartitionDeletion(deletion.getPartitionDeletion());
            deletion.rangeIterator(false).forEachRemaining(builder::add);
        }
        return builder.build();
    }

    private static void addIfAny(PartitionUpdate.Builder builder, Row row)
    {
        Row normal = PartitionContent.normal(row, DeletionTime.LIVE);
        if (normal != null)
            builder.add(normal);
    }
}
