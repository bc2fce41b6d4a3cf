/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.util.Arrays;
import java.util.function.BiConsumer;

import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.DeletionInfo;
import org.apache.cassandra.db.DeletionTime;
import org.apache.cassandra.db.LivenessInfo;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.db.rows.Cell;
import org.apache.cassandra.db.rows.ColumnData;
import org.apache.cassandra.db.rows.Row;

import io.cassiterite.engine.DirectOutput;

/**
 * Writes rows as fragments (docs/internals/formats.md) and partition updates as write requests
 * (docs/internals/boundary.md). One per thread: keeps scratch space, but nothing of a row between calls, nor of its
 * table.
 */
final class FragmentWriter
{
    private static final int REQUEST_VERSION = 1;
    private static final int SCRATCH = 16;
    private static final BiConsumer<FragmentWriter, ColumnData> GATHER = FragmentWriter::gather;

    private final CellWriter cells = new CellWriter();
    private final HeaderWriter headers = new HeaderWriter();
    private ColumnData[] data = new ColumnData[SCRATCH];
    private int[] ids = new int[SCRATCH];
    private int count;
    private int used;
    private int guess;
    private boolean ascending;
    private boolean unknown;
    private Columns columns;
    private long smallest;

    /**
     * Writes the request that applies {@code update}. Columns that {@code columns} lacks are left out.
     *
     * @return false if there is nothing to apply
     */
    boolean write(DirectOutput out, PartitionUpdate update, Columns columns)
    {
        this.columns = columns;
        try
        {
            return writeUpdate(out, update);
        }
        finally
        {
            release();
        }
    }

    private boolean writeUpdate(DirectOutput out, PartitionUpdate update)
    {
        smallest = Long.MAX_VALUE;
        unknown = false;
        out.putByte(REQUEST_VERSION);
        int smallestAt = out.length();
        out.putLong(0);
        int start = out.beginLength();
        KeyEncoder.putPartition(out, update.partitionKey());
        out.endLength(start);
        int countAt = out.length();
        out.putInt(0);
        int entries = writeHeader(out, update.deletionInfo());
        if (!update.staticRow().isEmpty() && writeEntry(out, Fragments.KIND_STATIC, update.staticRow()))
            entries++;
        for (Row row : update)
            if (writeEntry(out, Fragments.KIND_ROW, row))
                entries++;
        out.setLong(smallestAt, smallest);
        out.setInt(countAt, entries);
        return entries > 0;
    }

    /** The smallest timestamp of what {@link #write} wrote last; Long.MAX_VALUE if nothing. */
    long smallestTimestamp()
    {
        return smallest;
    }

    /** True if the last {@link #write} left out a column that its {@link Columns} lacked. */
    boolean leftOutColumns()
    {
        return unknown;
    }

    private int writeHeader(DirectOutput out, DeletionInfo deletion)
    {
        if (deletion.isLive())
            return 0;
        int before = out.length();
        out.putByte(Fragments.KIND_HEADER);
        out.putInt(0);
        int start = out.beginLength();
        if (!headers.write(out, columns.keys, deletion))
        {
            out.truncate(before);
            return 0;
        }
        out.endLength(start);
        smallest = Math.min(smallest, headers.smallestTimestamp());
        return 1;
    }

    private boolean writeEntry(DirectOutput out, int kind, Row row)
    {
        int before = out.length();
        out.putByte(kind);
        int start = out.beginLength();
        if (kind == Fragments.KIND_ROW && !columns.keys.putClustering(out, row.clustering()))
            throw UncheckedBytes.refuse(row.clustering());
        out.endLength(start);
        start = out.beginLength();
        if (!writeRow(out, row))
        {
            out.truncate(before);
            return false;
        }
        out.endLength(start);
        return true;
    }

    /** Writes one row as a fragment; false, and leaves an unfinished fragment, if the row is empty. */
    boolean writeRow(DirectOutput out, Row row, Columns columns)
    {
        this.columns = columns;
        try
        {
            return writeRow(out, row);
        }
        finally
        {
            release();
        }
    }

    private void release()
    {
        columns = null;
        Arrays.fill(data, 0, Math.max(used, count), null);
        used = 0;
        count = 0;
        cells.end();
    }

    private boolean writeRow(DirectOutput out, Row row)
    {
        collect(row);
        LivenessInfo liveness = row.primaryKeyLivenessInfo();
        Row.Deletion deletion = row.deletion();
        boolean isLive = !liveness.isEmpty();
        boolean isDeleted = !deletion.isLive();
        if (!isLive && !isDeleted && count == 0)
            return false;

        Cell<?> first = isLive ? null : firstCell();
        int flags = 0;
        out.putByte(Fragments.VERSION);
        int flagsAt = out.length();
        out.putByte(0);
        Clustering<?> clustering = row.clustering();
        if (clustering.size() > 0)
        {
            flags |= Fragments.CLUSTERING;
            RawClusterings.put(out, clustering);
        }
        if (isLive)
            flags |= putLiveness(out, liveness);
        if (isDeleted)
            flags |= putDeletion(out, deletion);
        if (first != null)
        {
            flags |= Fragments.BASE;
            out.putLong(first.timestamp());
        }
        out.setByte(flagsAt, flags);
        cells.begin(isLive || first != null, isLive ? liveness.timestamp() : first == null ? 0 : first.timestamp(), liveness);
        for (int i = 0; i < count; i++)
            cells.putColumn(out, ids[i], data[i]);
        smallest = Math.min(smallest, cells.smallestTimestamp());
        return true;
    }

    private int putLiveness(DirectOutput out, LivenessInfo liveness)
    {
        smallest = Math.min(smallest, liveness.timestamp());
        out.putLong(liveness.timestamp());
        if (!liveness.isExpiring())
            return Fragments.LIVENESS;
        out.putUnsignedVarint(liveness.ttl());
        out.putUnsignedVarint(liveness.localExpirationTime());
        return Fragments.LIVENESS | Fragments.EXPIRING;
    }

    private int putDeletion(DirectOutput out, Row.Deletion deletion)
    {
        DeletionTime time = deletion.time();
        smallest = Math.min(smallest, time.markedForDeleteAt());
        out.putLong(time.markedForDeleteAt());
        out.putUnsignedVarint(time.localDeletionTime());
        return deletion.isShadowable() ? Fragments.DELETION | Fragments.SHADOWABLE : Fragments.DELETION;
    }

    /** Gathers the row's columns with their ids, ascending by id. */
    private void collect(Row row)
    {
        used = Math.max(used, count);
        count = 0;
        guess = 0;
        ascending = true;
        row.apply(GATHER, this);
        if (!ascending)
            sort();
    }

    private void gather(ColumnData column)
    {
        int id = columns.id(column.column(), guess);
        if (id == Columns.NONE)
        {
            unknown = true;
            return;
        }
        if (count == ids.length)
        {
            data = Arrays.copyOf(data, 2 * count);
            ids = Arrays.copyOf(ids, 2 * count);
        }
        guess = columns.ordinal(id) + 1;
        ascending &= count == 0 || ids[count - 1] < id;
        data[count] = column;
        ids[count++] = id;
    }

    private void sort()
    {
        for (int i = 1; i < count; i++)
        {
            ColumnData column = data[i];
            int id = ids[i];
            int j = i - 1;
            for (; j >= 0 && ids[j] > id; j--)
            {
                data[j + 1] = data[j];
                ids[j + 1] = ids[j];
            }
            data[j + 1] = column;
            ids[j + 1] = id;
        }
    }

    private Cell<?> firstCell()
    {
        for (int i = 0; i < count; i++)
        {
            Cell<?> cell = CellWriter.firstCell(data[i]);
            if (cell != null)
                return cell;
        }
        return null;
    }
}
