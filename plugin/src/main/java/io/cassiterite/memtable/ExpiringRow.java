/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.util.Collection;
import java.util.Comparator;
import java.util.Iterator;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;

import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.DeletionPurger;
import org.apache.cassandra.db.DeletionTime;
import org.apache.cassandra.db.LivenessInfo;
import org.apache.cassandra.db.filter.ColumnFilter;
import org.apache.cassandra.db.rows.AbstractRow;
import org.apache.cassandra.db.rows.BTreeRow;
import org.apache.cassandra.db.rows.Cell;
import org.apache.cassandra.db.rows.CellPath;
import org.apache.cassandra.db.rows.ColumnData;
import org.apache.cassandra.db.rows.ComplexColumnData;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.BiLongAccumulator;
import org.apache.cassandra.utils.LongAccumulator;
import org.apache.cassandra.utils.SearchIterator;
import org.apache.cassandra.utils.memory.Cloner;

/**
 * A row whose liveness expires. Cassandra's filter leaves out unqueried cells that are older than the liveness,
 * although the row may live on in them alone; the filter of this row does not. Queries that name rows filter what a
 * memtable returned once more. Immutable.
 */
final class ExpiringRow extends AbstractRow
{
    private final Row row;

    ExpiringRow(Row row)
    {
        this.row = row;
    }

    @Override
    public Row filter(ColumnFilter filter, TableMetadata metadata)
    {
        return filter(filter, DeletionTime.LIVE, false, metadata);
    }

    /** Filters without the liveness, to which no cell is then older. */
    @Override
    public Row filter(ColumnFilter filter, DeletionTime activeDeletion, boolean setActiveDeletionToRow, TableMetadata metadata)
    {
        LivenessInfo liveness = activeDeletion.deletes(row.primaryKeyLivenessInfo()) ? LivenessInfo.EMPTY : row.primaryKeyLivenessInfo();
        Row cells = row.transformAndFilter(LivenessInfo.EMPTY, row.deletion(), data -> data);
        Row filtered = cells == null ? null : cells.filter(filter, activeDeletion, setActiveDeletionToRow, metadata);
        if (liveness.isEmpty())
            return filtered;
        return new ExpiringRow(filtered == null ? BTreeRow.noCellLiveRow(row.clustering(), liveness)
                                                : filtered.transformAndFilter(liveness, filtered.deletion(), data -> data));
    }

    // --- everything else is delegated

    @Override
    public Clustering<?> clustering()
    {
        return row.clustering();
    }

    @Override
    public Collection<ColumnMetadata> columns()
    {
        return row.columns();
    }

    @Override
    public int columnCount()
    {
        return row.columnCount();
    }

    @Override
    public Deletion deletion()
    {
        return row.deletion();
    }

    @Override
    public LivenessInfo primaryKeyLivenessInfo()
    {
        return row.primaryKeyLivenessInfo();
    }

    @Override
    public boolean isEmpty()
    {
        return row.isEmpty();
    }

    @Override
    public Cell<?> getCell(ColumnMetadata column)
    {
        return row.getCell(column);
    }

    @Override
    public Cell<?> getCell(ColumnMetadata column, CellPath path)
    {
        return row.getCell(column, path);
    }

    @Override
    public ComplexColumnData getComplexColumnData(ColumnMetadata column)
    {
        return row.getComplexColumnData(column);
    }

    @Override
    public ColumnData getColumnData(ColumnMetadata column)
    {
        return row.getColumnData(column);
    }

    @Override
    public Iterable<Cell<?>> cells()
    {
        return row.cells();
    }

    @Override
    public Collection<ColumnData> columnData()
    {
        return row.columnData();
    }

    @Override
    public Iterable<Cell<?>> cellsInLegacyOrder(TableMetadata metadata, boolean reversed)
    {
        return row.cellsInLegacyOrder(metadata, reversed);
    }

    @Override
    public boolean hasComplexDeletion()
    {
        return row.hasComplexDeletion();
    }

    @Override
    public boolean hasComplex()
    {
        return row.hasComplex();
    }

    @Override
    public boolean hasDeletion(long nowInSec)
    {
        return row.hasDeletion(nowInSec);
    }

    @Override
    public SearchIterator<ColumnMetadata, ColumnData> searchIterator()
    {
        return row.searchIterator();
    }

    @Override
    public Iterator<ColumnData> iterator()
    {
        return row.iterator();
    }

    @Override
    public Row transformAndFilter(LivenessInfo info, Deletion deletion, Function<ColumnData, ColumnData> function)
    {
        return row.transformAndFilter(info, deletion, function);
    }

    @Override
    public Row transformAndFilter(Function<ColumnData, ColumnData> function)
    {
        return row.transformAndFilter(function);
    }

    @Override
    public Row clone(Cloner cloner)
    {
        return row.clone(cloner);
    }

    @Override
    public Row purge(DeletionPurger purger, long nowInSec, boolean enforceStrictLiveness)
    {
        return row.purge(purger, nowInSec, enforceStrictLiveness);
    }

    @Override
    public Row withOnlyQueriedData(ColumnFilter filter)
    {
        return row.withOnlyQueriedData(filter);
    }

    @Override
    public Row purgeDataOlderThan(long timestamp, boolean enforceStrictLiveness)
    {
        return row.purgeDataOlderThan(timestamp, enforceStrictLiveness);
    }

    @Override
    public Row markCounterLocalToBeCleared()
    {
        return row.markCounterLocalToBeCleared();
    }

    @Override
    public Row updateAllTimestamp(long newTimestamp)
    {
        return row.updateAllTimestamp(newTimestamp);
    }

    @Override
    public Row withRowDeletion(DeletionTime deletion)
    {
        return row.withRowDeletion(deletion);
    }

    @Override
    public int dataSize()
    {
        return row.dataSize();
    }

    @Override
    public long unsharedHeapSize()
    {
        return row.unsharedHeapSize();
    }

    @Override
    public long unsharedHeapSizeExcludingData()
    {
        return row.unsharedHeapSizeExcludingData();
    }

    @Override
    public void apply(Consumer<ColumnData> function)
    {
        row.apply(function);
    }

    @Override
    public <A> void apply(BiConsumer<A, ColumnData> function, A argument)
    {
        row.apply(function, argument);
    }

    @Override
    public long accumulate(LongAccumulator<ColumnData> accumulator, long initialValue)
    {
        return row.accumulate(accumulator, initialValue);
    }

    @Override
    public long accumulate(LongAccumulator<ColumnData> accumulator, Comparator<ColumnData> comparator, ColumnData from, long initialValue)
    {
        return row.accumulate(accumulator, comparator, from, initialValue);
    }

    @Override
    public <A> long accumulate(BiLongAccumulator<A, ColumnData> accumulator, A argument, long initialValue)
    {
        return row.accumulate(accumulator, argument, initialValue);
    }

    @Override
    public <A> long accumulate(BiLongAccumulator<A, ColumnData> accumulator, A argument, Comparator<ColumnData> comparator,
                               ColumnData from, long initialValue)
    {
        return row.accumulate(accumulator, argument, comparator, from, initialValue);
    }
}
