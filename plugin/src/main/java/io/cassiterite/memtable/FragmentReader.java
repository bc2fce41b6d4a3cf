/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.nio.ByteBuffer;
import java.util.Arrays;

import io.netty.util.concurrent.FastThreadLocal;

import org.apache.cassandra.db.ArrayClustering;
import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.DeletionTime;
import org.apache.cassandra.db.LivenessInfo;
import org.apache.cassandra.db.rows.ArrayCell;
import org.apache.cassandra.db.rows.BTreeRow;
import org.apache.cassandra.db.rows.Cell;
import org.apache.cassandra.db.rows.CellPath;
import org.apache.cassandra.db.rows.ColumnData;
import org.apache.cassandra.db.rows.ComplexColumnData;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.schema.DroppedColumn;
import org.apache.cassandra.utils.ByteArrayUtil;
import org.apache.cassandra.utils.btree.BTree;

/**
 * Builds rows from fragments. Keeps scratch space, but nothing of a row between calls, nor of its table: take the thread's
 * own with {@link #local} for each row.
 */
final class FragmentReader
{
    private static final FastThreadLocal<FragmentReader> LOCAL = new FastThreadLocal<FragmentReader>()
    {
        @Override
        protected FragmentReader initialValue()
        {
            return new FragmentReader();
        }
    };

    private ColumnData[] data = new ColumnData[16];
    private int[] ordinals = new int[16];
    private int count;
    private boolean ordered;

    /** Made anew for each row with such a column: a reused one would keep the cells of the last row. */
    private ComplexColumnData.Builder complex;
    private ByteBuffer in;
    private Columns columns;
    private ColumnSelection selection;
    private LivenessInfo liveness;
    private long base;
    private long minDeletionTime;

    static FragmentReader local()
    {
        return LOCAL.get();
    }

    /**
     * Reads a row.
     *
     * @param selection what to keep, as {@code Row.filter} would; null keeps everything that the schema knows
     * @return null if nothing is left of the row
     */
    Row read(ByteBuffer in, int start, int end, Columns columns, ColumnSelection selection, boolean isStatic)
    {
        this.in = in;
        this.columns = columns;
        boolean filters = selection != null && (isStatic ? selection.filtersStatics : selection.filtersRegulars);
        this.selection = filters ? selection : null;
        in.limit(end).position(start);
        try
        {
            return readRow(isStatic);
        }
        catch (MalformedFragmentException e)
        {
            throw e;
        }
        catch (RuntimeException | AssertionError e)
        {
            throw new MalformedFragmentException(e);
        }
        finally
        {
            in.limit(in.capacity());
            release();
        }
    }

    private void release()
    {
        Arrays.fill(data, 0, count, null);
        count = 0;
        complex = null;
        in = null;
        columns = null;
        selection = null;
        liveness = null;
    }

    private Row readRow(boolean isStatic)
    {
        int version = in.get();
        if (version != Fragments.VERSION)
            throw new MalformedFragmentException("row version " + version);
        int flags = in.get();
        Clustering<?> clustering = readClustering(flags, isStatic);
        minDeletionTime = Cell.MAX_DELETION_TIME;
        liveness = readLiveness(flags);
        Row.Deletion deletion = readDeletion(flags);
        base = (flags & Fragments.BASE) != 0 ? in.getLong() : liveness.timestamp();
        ordered = true;
        while (in.hasRemaining())
            readColumn();
        if (count == 0 && liveness.isEmpty() && deletion.isLive())
            return null;
        return BTreeRow.create(clustering, liveness, deletion, tree(), minDeletionTime);
    }

    private Clustering<?> readClustering(int flags, boolean isStatic)
    {
        int size = columns.metadata.comparator.size();
        if ((flags & Fragments.CLUSTERING) != 0 && !isStatic)
        {
            byte[][] values = RawClusterings.readFull(in, size);
            return size == 0 ? Clustering.EMPTY : new ArrayClustering(values);
        }
        if ((flags & Fragments.CLUSTERING) != 0)
            RawClusterings.readPrefix(in, size);
        else if (!isStatic && size > 0)
            throw new MalformedFragmentException("a row without clustering in " + columns.metadata);
        return isStatic ? Clustering.STATIC_CLUSTERING : Clustering.EMPTY;
    }

    private LivenessInfo readLiveness(int flags)
    {
        if ((flags & Fragments.LIVENESS) == 0)
            return LivenessInfo.EMPTY;
        long timestamp = in.getLong();
        if ((flags & Fragments.EXPIRING) == 0)
            return LivenessInfo.withExpirationTime(timestamp, LivenessInfo.NO_TTL, LivenessInfo.NO_EXPIRATION_TIME);
        int ttl = (int) Varints.read(in);
        long expiration = Varints.read(in);
        minDeletionTime = Math.min(minDeletionTime, expiration);
        return LivenessInfo.withExpirationTime(timestamp, ttl, expiration);
    }

    private Row.Deletion readDeletion(int flags)
    {
        if ((flags & Fragments.DELETION) == 0)
            return Row.Deletion.LIVE;
        minDeletionTime = Long.MIN_VALUE;
        return new Row.Deletion(readDeletionTime(), (flags & Fragments.SHADOWABLE) != 0);
    }

    private DeletionTime readDeletionTime()
    {
        long markedForDeleteAt = in.getLong();
        return DeletionTime.build(markedForDeleteAt, Varints.read(in));
    }

    private void readColumn()
    {
        int id = (int) Varints.read(in);
        int flags = in.get() & 0xFF;
        ColumnMetadata column = columns.column(id);
        if (column != null && selection != null && selection.mode(id) == ColumnSelection.NOT_FETCHED)
            column = null;
        boolean isComplex = (flags & Fragments.COMPLEX) != 0;
        if (column != null && column.isComplex() != isComplex)
            throw new MalformedFragmentException("column " + column.name + " in the form of another kind");
        if (isComplex)
            readComplex(id, column, flags);
        else if (column == null)
            skipCell(flags);
        else
            readSimple(id, column, flags);
    }

    private void readSimple(int id, ColumnMetadata column, int flags)
    {
        Cell<?> cell = readCell(column, flags, null);
        if (selection != null)
        {
            DroppedColumn dropped = selection.dropped(id);
            if (dropped != null && cell.timestamp() <= dropped.droppedTime)
                return;
            if (selection.mode(id) != ColumnSelection.QUERIED)
            {
                if (cell.timestamp() < provenLiveness().timestamp())
                    return;
                cell = cell.withSkippedValue();
            }
        }
        includeDeletionTime(cell);
        add(id, cell);
    }

    private void readComplex(int id, ColumnMetadata column, int flags)
    {
        DeletionTime deletion = (flags & Fragments.COMPLEX_DELETION) != 0 ? readDeletionTime() : DeletionTime.LIVE;
        int cells = Varints.readLength(in);
        if (column != null)
        {
            if (complex == null)
                complex = new ComplexColumnData.Builder();
            complex.newColumn(column);
            complex.addComplexDeletion(deletion);
        }
        for (int i = 0; i < cells; i++)
        {
            int cellFlags = in.get();
            CellPath path = readPath(column != null);
            if (column == null)
                skipCell(cellFlags);
            else
                complex.addCell(readCell(column, cellFlags, path));
        }
        ComplexColumnData built = column == null ? null : complex.build();
        if (built != null && selection != null)
            built = built.filter(selection.filter, DeletionTime.LIVE, selection.dropped(id), provenLiveness());
        if (built == null)
            return;
        if (!built.complexDeletion().isLive())
            minDeletionTime = Long.MIN_VALUE;
        for (int i = 0, size = built.cellsCount(); i < size; i++)
            includeDeletionTime(built.getCellByIndex(i));
        add(id, built);
    }

    /**
     * The liveness that makes older cells of unqueried columns superfluous: none if it expires, because the row may
     * outlive it by these cells.
     */
    private LivenessInfo provenLiveness()
    {
        return liveness.isExpiring() ? LivenessInfo.EMPTY : liveness;
    }

    private CellPath readPath(boolean wanted)
    {
        int length = Varints.readLength(in);
        int order = in.position();
        in.position(order + length);
        long coded = Varints.read(in);
        int from = coded == 0 ? order : in.position();
        long size = coded == 0 ? length : coded - 1;
        if (size < 0 || size > in.limit() - from)
            throw new MalformedFragmentException("a path of " + size + " bytes");
        int resume = coded == 0 ? in.position() : from + (int) size;
        if (!wanted)
        {
            in.position(resume);
            return null;
        }
        byte[] path = new byte[(int) size];
        in.position(from);
        in.get(path);
        in.position(resume);
        return CellPath.create(ByteBuffer.wrap(path));
    }

    private Cell<?> readCell(ColumnMetadata column, int flags, CellPath path)
    {
        long timestamp = (flags & Fragments.CELL_SAME_TIMESTAMP) != 0 ? base : in.getLong();
        int ttl = Cell.NO_TTL;
        long deletionTime = Cell.NO_DELETION_TIME;
        if ((flags & Fragments.CELL_SAME_EXPIRY) != 0)
        {
            ttl = liveness.ttl();
            deletionTime = liveness.localExpirationTime();
        }
        else if ((flags & Fragments.CELL_EXPIRING) != 0)
        {
            ttl = (int) Varints.read(in);
            deletionTime = Varints.read(in);
        }
        else if ((flags & Fragments.CELL_TOMBSTONE) != 0)
            deletionTime = Varints.read(in);
        return new ArrayCell(column, timestamp, ttl, deletionTime, readValue(flags), path);
    }

    private byte[] readValue(int flags)
    {
        if ((flags & (Fragments.CELL_TOMBSTONE | Fragments.CELL_EMPTY)) != 0)
            return ByteArrayUtil.EMPTY_BYTE_ARRAY;
        byte[] value = new byte[Varints.readLength(in)];
        in.get(value);
        return value;
    }

    private void skipCell(int flags)
    {
        if ((flags & Fragments.CELL_SAME_TIMESTAMP) == 0)
            in.getLong();
        boolean expires = (flags & (Fragments.CELL_EXPIRING | Fragments.CELL_SAME_EXPIRY)) == Fragments.CELL_EXPIRING;
        if (expires)
            Varints.read(in);
        if (expires || (flags & Fragments.CELL_TOMBSTONE) != 0)
            Varints.read(in);
        if ((flags & (Fragments.CELL_TOMBSTONE | Fragments.CELL_EMPTY)) == 0)
        {
            int length = Varints.readLength(in);
            in.position(in.position() + length);
        }
    }

    private void includeDeletionTime(Cell<?> cell)
    {
        minDeletionTime = Math.min(minDeletionTime, cell.isTombstone() ? Long.MIN_VALUE : cell.localDeletionTime());
    }

    private void add(int id, ColumnData column)
    {
        if (count == data.length)
        {
            data = Arrays.copyOf(data, 2 * count);
            ordinals = Arrays.copyOf(ordinals, 2 * count);
        }
        int ordinal = columns.ordinal(id);
        ordered &= count == 0 || ordinals[count - 1] < ordinal;
        data[count] = column;
        ordinals[count++] = ordinal;
    }

    private Object[] tree()
    {
        if (count == 0)
            return BTree.empty();
        if (!ordered)
            Arrays.sort(data, 0, count, ColumnData.comparator);
        if (count > BTree.MAX_KEYS)
        {
            try (BTree.FastBuilder<ColumnData> builder = BTree.fastBuilder())
            {
                for (int i = 0; i < count; i++)
                    builder.add(data[i]);
                return builder.build();
            }
        }
        Object[] leaf = new Object[count | 1];
        System.arraycopy(data, 0, leaf, 0, count);
        return leaf;
    }
}
