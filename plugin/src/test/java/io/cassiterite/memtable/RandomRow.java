/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.nio.ByteBuffer;
import java.util.Random;
import java.util.TreeSet;

import org.apache.cassandra.db.BufferClusteringBound;
import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.ClusteringBound;
import org.apache.cassandra.db.ClusteringPrefix;
import org.apache.cassandra.db.DeletionTime;
import org.apache.cassandra.db.LivenessInfo;
import org.apache.cassandra.db.MutableDeletionInfo;
import org.apache.cassandra.db.RangeTombstone;
import org.apache.cassandra.db.Slice;
import org.apache.cassandra.db.context.CounterContext;
import org.apache.cassandra.db.marshal.AbstractType;
import org.apache.cassandra.db.marshal.CollectionType;
import org.apache.cassandra.db.marshal.ListType;
import org.apache.cassandra.db.marshal.MapType;
import org.apache.cassandra.db.marshal.UserType;
import org.apache.cassandra.db.rows.BTreeRow;
import org.apache.cassandra.db.rows.BufferCell;
import org.apache.cassandra.db.rows.Cell;
import org.apache.cassandra.db.rows.CellPath;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.ByteBufferUtil;
import org.apache.cassandra.utils.CounterId;

/** Random rows of a table. Timestamps and times are few, so that ties are common. */
final class RandomRow
{
    /** Far ahead, so that nothing of a test has expired or may be purged. */
    static final long NOW = 4_000_000_000L;

    private final Random random;
    private final TableMetadata metadata;
    /**
     * No two clusterings that are equal but differ in bytes: Cassandra keeps the bytes of the first. Elements never
     * differ so.
     */
    private final boolean canonical;
    private final boolean anyOrder;
    private boolean ties = true;
    private int drawn;

    RandomRow(Random random, TableMetadata metadata)
    {
        this(random, metadata, false);
    }

    private RandomRow(Random random, TableMetadata metadata, boolean anyOrder)
    {
        this.random = random;
        this.metadata = metadata;
        this.canonical = anyOrder;
        this.anyOrder = anyOrder && metadata.isCounter();
    }

    /**
     * Rows that Cassandra merges to the same in any order. Counters that meet deletions, and shards whose clock is 0, are not
     * such: docs/internals/formats.md.
     */
    static RandomRow mergedInAnyOrder(Random random, TableMetadata metadata)
    {
        return new RandomRow(random, metadata, true);
    }

    /**
     * As {@link #mergedInAnyOrder}, and no two timestamps are equal: of a deletion within another of the same time Cassandra
     * leaves more or less, depending on how many sources it merged.
     */
    static RandomRow withoutTies(Random random, TableMetadata metadata)
    {
        RandomRow rows = mergedInAnyOrder(random, metadata);
        rows.ties = false;
        rows.drawn = random.nextInt(1 << 16);
        return rows;
    }

    Clustering<?> clustering()
    {
        int size = metadata.comparator.size();
        ByteBuffer[] values = new ByteBuffer[size];
        for (int i = 0; i < size; i++)
            values[i] = RandomValue.value(random, metadata.comparator.subtype(i), canonical);
        return Clustering.make(values);
    }

    Row row(Clustering<?> clustering)
    {
        Row.Builder builder = BTreeRow.unsortedBuilder();
        builder.newRow(clustering);
        boolean isStatic = clustering == Clustering.STATIC_CLUSTERING;
        if (!isStatic && random.nextInt(3) > 0)
            builder.addPrimaryKeyLivenessInfo(liveness());
        if (!isStatic && !anyOrder && random.nextInt(5) == 0)
            builder.addRowDeletion(Row.Deletion.regular(deletion()));
        for (ColumnMetadata column : isStatic ? metadata.staticColumns() : metadata.regularColumns())
            if (random.nextInt(3) > 0)
                addColumn(builder, column);
        return builder.build();
    }

    private void addColumn(Row.Builder builder, ColumnMetadata column)
    {
        if (column.isSimple())
        {
            builder.addCell(cell(column, null));
            return;
        }
        if (random.nextInt(3) == 0)
            builder.addComplexDeletion(column, deletion());
        TreeSet<ByteBuffer> paths = new TreeSet<>(Columns.pathType(column));
        for (int i = random.nextInt(5); i > 0; i--)
            paths.add(path(column.type));
        for (ByteBuffer path : paths)
            builder.addCell(cell(column, CellPath.create(path)));
    }

    private ByteBuffer path(AbstractType<?> type)
    {
        if (type instanceof UserType)
            return ByteBufferUtil.bytes((short) random.nextInt(2));
        AbstractType<?> of = ((CollectionType<?>) type).nameComparator();
        return RandomValue.nativeValue(random, of, true);
    }

    private AbstractType<?> valueType(ColumnMetadata column, CellPath path)
    {
        if (path == null)
            return column.type;
        if (column.type instanceof UserType)
            return ((UserType) column.type).fieldType(path.get(0).getShort(0));
        if (column.type instanceof MapType)
            return ((MapType<?, ?>) column.type).getValuesType();
        return column.type instanceof ListType ? ((ListType<?>) column.type).getElementsType() : null;
    }

    private Cell<?> cell(ColumnMetadata column, CellPath path)
    {
        int kind = random.nextInt(6);
        if (kind == 0 && !anyOrder)
            return BufferCell.tombstone(column, timestamp(), time(), path);
        if (column.isCounterColumn())
            return BufferCell.live(column, timestamp(), counter());
        AbstractType<?> type = valueType(column, path);
        ByteBuffer value = type == null ? ByteBufferUtil.EMPTY_BYTE_BUFFER : RandomValue.value(random, type);
        return kind == 1 ? new BufferCell(column, timestamp(), ttl(), time(), value, path)
                         : new BufferCell(column, timestamp(), Cell.NO_TTL, Cell.NO_DELETION_TIME, value, path);
    }

    private ByteBuffer counter()
    {
        boolean[] present = { random.nextBoolean(), random.nextBoolean(), random.nextBoolean() };
        int shards = 0;
        for (boolean one : present)
            shards += one ? 1 : 0;
        CounterContext.ContextState state = CounterContext.ContextState.allocate(shards, 0, 0);
        for (int i = 0; i < present.length; i++)
            if (present[i])
                state.writeGlobal(CounterId.fromInt(i + 1), random.nextInt(3) + (anyOrder ? 1 : 0), random.nextInt(5) - 2);
        return state.context;
    }

    LivenessInfo liveness()
    {
        return random.nextInt(3) == 0 ? LivenessInfo.withExpirationTime(timestamp(), ttl(), time())
                                      : LivenessInfo.create(timestamp(), NOW);
    }

    DeletionTime deletion()
    {
        return DeletionTime.build(timestamp(), time());
    }

    MutableDeletionInfo deletionInfo()
    {
        if (anyOrder)
            return MutableDeletionInfo.live();
        MutableDeletionInfo info = new MutableDeletionInfo(random.nextInt(3) == 0 ? rangeDeletion() : DeletionTime.LIVE);
        for (int i = random.nextInt(5); i > 0; i--)
            addRange(info);
        return info;
    }

    /** Without ties: of two range deletions of one timestamp Cassandra's list keeps the first. */
    private DeletionTime rangeDeletion()
    {
        long timestamp = timestamp();
        return DeletionTime.build(timestamp, NOW + (timestamp & 3));
    }

    private void addRange(MutableDeletionInfo info)
    {
        ClusteringBound<?> a = bound(true);
        ClusteringBound<?> b = bound(false);
        if (!Slice.isEmpty(metadata.comparator, a, b))
            info.add(new RangeTombstone(Slice.make(a, b), rangeDeletion()), metadata.comparator);
    }

    ClusteringBound<?> bound(boolean isStart)
    {
        int size = random.nextInt(metadata.comparator.size() + 1);
        Clustering<?> full = clustering();
        ByteBuffer[] values = new ByteBuffer[size];
        for (int i = 0; i < size; i++)
            values[i] = full.bufferAt(i);
        boolean inclusive = size == 0 || random.nextBoolean();
        String kind = (inclusive ? "INCL" : "EXCL") + (isStart ? "_START_BOUND" : "_END_BOUND");
        return BufferClusteringBound.create(ClusteringPrefix.Kind.valueOf(kind), values);
    }

    private long timestamp()
    {
        if (!ties)
            return drawn = drawn * 25173 + 13849 & 0xffff;
        return random.nextInt(20) == 0 ? -1 - random.nextInt(3) : 100 + random.nextInt(6);
    }

    private long time()
    {
        return NOW + random.nextInt(4);
    }

    private int ttl()
    {
        return 10 + random.nextInt(2);
    }
}
