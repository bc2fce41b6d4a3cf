/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.index;

import java.nio.ByteBuffer;
import java.util.List;

import org.apache.cassandra.cql3.Operator;
import org.apache.cassandra.cql3.statements.schema.IndexTarget;
import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.LivenessInfo;
import org.apache.cassandra.db.marshal.AbstractType;
import org.apache.cassandra.db.marshal.ByteBufferAccessor;
import org.apache.cassandra.db.marshal.CollectionType;
import org.apache.cassandra.db.marshal.CompositeType;
import org.apache.cassandra.db.marshal.MapType;
import org.apache.cassandra.db.marshal.SetType;
import org.apache.cassandra.db.rows.Cell;
import org.apache.cassandra.db.rows.ColumnData;
import org.apache.cassandra.db.rows.ComplexColumnData;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.schema.TableMetadata;

import io.cassiterite.memtable.IndexKeys;

/**
 * What an index is of: the values that it takes from rows, and the predicates that it answers. Immutable and thread-safe.
 */
final class IndexedColumn
{
    final ColumnMetadata column;
    final IndexTarget.Type type;
    final IndexKeys keys;
    /** False if a value is the whole partition's: of a static column, or of a component of the partition key. */
    final boolean isOfRow;
    /** Whether equal values of a collection have an entry each, under the path of each. */
    final boolean hasPath;
    /** What becomes of a text before it is a value; null if nothing does. */
    final TextTransform transform;

    private final TableMetadata table;

    /** @param transform null for none */
    IndexedColumn(TableMetadata table, ColumnMetadata column, IndexTarget.Type type, TextTransform transform)
    {
        this.table = table;
        this.column = column;
        this.type = type;
        this.isOfRow = !column.isStatic() && !column.isPartitionKey();
        this.transform = transform;
        this.hasPath = column.isComplex() && (transform != null || !isOfPaths() && type == IndexTarget.Type.VALUES);
        this.keys = new IndexKeys(valueTypes(), table.comparator, hasPath ? collection().nameComparator() : null);
    }

    /** Whether values are the paths of cells. */
    private boolean isOfPaths()
    {
        return type == IndexTarget.Type.KEYS || collection() instanceof SetType;
    }

    private CollectionType<?> collection()
    {
        return (CollectionType<?>) column.type.unwrap();
    }

    private List<AbstractType<?>> valueTypes()
    {
        if (!column.isComplex())
            return List.of(column.type.unwrap());
        boolean isSet = collection() instanceof SetType;
        switch (type)
        {
            case KEYS:
                return List.of(collection().nameComparator());
            case VALUES:
                return List.of(isSet ? collection().nameComparator() : collection().valueComparator());
            case KEYS_AND_VALUES:
                return List.of(collection().nameComparator(), collection().valueComparator());
            default:
                throw new IllegalStateException("an index of kind " + type + " on " + column);
        }
    }

    /** The number of clustering columns that entries name; -1 if they name partitions. */
    int rowColumns()
    {
        return isOfRow ? table.comparator.size() : -1;
    }

    boolean supports(ColumnMetadata asked, Operator operator)
    {
        if (!asked.name.equals(column.name))
            return false;
        if (!column.isComplex())
            return operator == Operator.EQ || transform == null && type != IndexTarget.Type.FULL && isRange(operator);
        switch (type)
        {
            case KEYS:
                return operator == Operator.CONTAINS_KEY;
            case VALUES:
                return operator == Operator.CONTAINS;
            case KEYS_AND_VALUES:
                return operator == Operator.EQ && column.type.unwrap() instanceof MapType;
            default:
                return false;
        }
    }

    static boolean isRange(Operator operator)
    {
        return operator == Operator.LT || operator == Operator.LTE || operator == Operator.GT || operator == Operator.GTE;
    }

    /** The value that an expression asks for. */
    Clustering<?> valueOf(ByteBuffer asked)
    {
        if (column.isComplex() && type == IndexTarget.Type.KEYS_AND_VALUES)
            return value(CompositeType.extractComponent(asked, 0), CompositeType.extractComponent(asked, 1));
        return value(transform == null ? asked : transform.apply(asked));
    }

    /** Tells {@code sink} the entries of a row; for the static row, those of the partition. */
    void entries(DecoratedKey key, Row row, Sink sink)
    {
        if (column.isPrimaryKeyColumn())
            keyEntries(key, row, sink);
        else if (row.isStatic() == column.isStatic())
            cellEntries(row, sink);
    }

    /**
     * Without a TTL: the row lives as long as any of its cells does, and a write does not know the others. Such an entry
     * may outlive its row.
     */
    private void keyEntries(DecoratedKey key, Row row, Sink sink)
    {
        if (column.isClusteringColumn() && row.isStatic())
            return;
        long timestamp = largestLiveTimestamp(row);
        ByteBuffer component = timestamp == LivenessInfo.NO_TIMESTAMP ? null : component(key, row);
        if (component == null)
            return;
        LivenessInfo liveness = LivenessInfo.withExpirationTime(timestamp, LivenessInfo.NO_TTL, LivenessInfo.NO_EXPIRATION_TIME);
        sink.entry(value(component), isOfRow ? row.clustering() : null, null, liveness);
    }

    private ByteBuffer component(DecoratedKey key, Row row)
    {
        if (column.isClusteringColumn())
            return row.clustering().bufferAt(column.position());
        if (table.partitionKeyType instanceof CompositeType)
            return CompositeType.extractComponent(key.getKey(), column.position());
        return key.getKey();
    }

    private static long largestLiveTimestamp(Row row)
    {
        long largest = row.primaryKeyLivenessInfo().timestamp();
        for (Cell<?> cell : row.cells())
            if (!cell.isTombstone())
                largest = Math.max(largest, cell.timestamp());
        return largest;
    }

    private void cellEntries(Row row, Sink sink)
    {
        ColumnData data = row.getColumnData(column);
        if (data == null)
            return;
        Clustering<?> of = isOfRow ? row.clustering() : null;
        if (!column.isComplex())
            cellEntry((Cell<?>) data, of, sink);
        else
            for (Cell<?> cell : (ComplexColumnData) data)
                cellEntry(cell, of, sink);
    }

    private void cellEntry(Cell<?> cell, Clustering<?> row, Sink sink)
    {
        if (cell.isTombstone())
            return;
        LivenessInfo liveness = cell.isExpiring()
                                ? LivenessInfo.withExpirationTime(cell.timestamp(), cell.ttl(), cell.localDeletionTime())
                                : LivenessInfo.withExpirationTime(cell.timestamp(), LivenessInfo.NO_TTL, LivenessInfo.NO_EXPIRATION_TIME);
        Clustering<?> value = valueOf(cell);
        if (value.bufferAt(0) == null)
            return;
        sink.entry(value, row, hasPath ? value(cell.path().get(0)) : null, liveness);
    }

    private Clustering<?> valueOf(Cell<?> cell)
    {
        if (transform != null)
            return value(transform.apply(textOf(cell)));
        if (type == IndexTarget.Type.KEYS_AND_VALUES)
            return value(cell.path().get(0), cell.buffer());
        return value(textOf(cell));
    }

    /** Before it is transformed. */
    ByteBuffer textOf(Cell<?> cell)
    {
        return column.isComplex() && isOfPaths() ? cell.path().get(0) : cell.buffer();
    }

    private static Clustering<?> value(ByteBuffer... parts)
    {
        return ByteBufferAccessor.instance.factory().clustering(parts);
    }

    /** Takes entries. */
    interface Sink
    {
        /**
         * @param row  null if the value is the whole partition's
         * @param path tells equal values of a collection apart; null if the index has none
         */
        void entry(Clustering<?> value, Clustering<?> row, Clustering<?> path, LivenessInfo liveness);
    }
}
