/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Iterator;

import org.apache.cassandra.db.DeletionTime;
import org.apache.cassandra.db.LivenessInfo;
import org.apache.cassandra.db.context.CounterContext;
import org.apache.cassandra.db.marshal.AbstractType;
import org.apache.cassandra.db.marshal.ByteBufferAccessor;
import org.apache.cassandra.db.marshal.ValueAccessor;
import org.apache.cassandra.db.rows.Cell;
import org.apache.cassandra.db.rows.ColumnData;
import org.apache.cassandra.db.rows.ComplexColumnData;
import org.apache.cassandra.utils.bytecomparable.ByteSource;

import io.cassiterite.engine.DirectOutput;

/** Writes the columns of fragments. One per thread: keeps scratch space, and no row's data after {@link #end}. */
final class CellWriter
{
    private byte[] order = new byte[64];
    private boolean hasBase;
    private long base;
    private LivenessInfo liveness;
    private long smallest;

    /** Starts a fragment; its cells leave out what equals the arguments. */
    void begin(boolean hasBase, long base, LivenessInfo liveness)
    {
        this.hasBase = hasBase;
        this.base = base;
        this.liveness = liveness;
        smallest = Long.MAX_VALUE;
    }

    /** Drops what {@link #begin} was given. */
    void end()
    {
        liveness = null;
    }

    /** The smallest timestamp among the columns written since {@link #begin}; Long.MAX_VALUE if none. */
    long smallestTimestamp()
    {
        return smallest;
    }

    /** The first cell of a column, or null if the column has only a deletion. */
    static Cell<?> firstCell(ColumnData data)
    {
        if (data.column().isSimple())
            return (Cell<?>) data;
        ComplexColumnData complex = (ComplexColumnData) data;
        return complex.cellsCount() == 0 ? null : complex.getCellByIndex(0);
    }

    void putColumn(DirectOutput out, int id, ColumnData data)
    {
        out.putUnsignedVarint(id);
        if (data.column().isSimple())
        {
            Cell<?> cell = (Cell<?>) data;
            int flags = flags(cell);
            out.putByte(flags);
            putCell(out, cell, flags);
        }
        else
            putComplex(out, (ComplexColumnData) data);
    }

    private void putComplex(DirectOutput out, ComplexColumnData data)
    {
        DeletionTime deletion = data.complexDeletion();
        out.putByte(deletion.isLive() ? Fragments.COMPLEX : Fragments.COMPLEX | Fragments.COMPLEX_DELETION);
        if (!deletion.isLive())
        {
            smallest = Math.min(smallest, deletion.markedForDeleteAt());
            out.putLong(deletion.markedForDeleteAt());
            out.putUnsignedVarint(deletion.localDeletionTime());
        }
        out.putUnsignedVarint(data.cellsCount());
        AbstractType<?> pathType = Columns.pathType(data.column());
        for (Iterator<Cell<?>> it = data.iterator(); it.hasNext(); )
        {
            Cell<?> cell = it.next();
            int flags = flags(cell);
            out.putByte(flags);
            putPath(out, pathType, cell.path().get(0));
            putCell(out, cell, flags);
        }
    }

    private void putPath(DirectOutput out, AbstractType<?> type, ByteBuffer path)
    {
        int size = path.remaining();
        if (Columns.sortsRaw(type))
        {
            out.putUnsignedVarint(size);
            out.putValue(ByteBufferAccessor.instance, path, size);
            out.putUnsignedVarint(0);
            return;
        }
        int ordered = order(OrderForm.of(type, ByteBufferAccessor.instance, path));
        out.putUnsignedVarint(ordered);
        out.putBytes(order, 0, ordered);
        if (isOrder(path, ordered))
            out.putUnsignedVarint(0);
        else
        {
            out.putUnsignedVarint(size + 1L);
            out.putValue(ByteBufferAccessor.instance, path, size);
        }
    }

    private int order(ByteSource source)
    {
        if (source == null)
            return 0;
        int length = 0;
        for (int b = source.next(); b != ByteSource.END_OF_STREAM; b = source.next())
        {
            if (length == order.length)
                order = Arrays.copyOf(order, 2 * length);
            order[length++] = (byte) b;
        }
        return length;
    }

    private boolean isOrder(ByteBuffer path, int ordered)
    {
        if (path.remaining() != ordered)
            return false;
        for (int i = 0; i < ordered; i++)
            if (path.get(path.position() + i) != order[i])
                return false;
        return true;
    }

    private int flags(Cell<?> cell)
    {
        int flags = hasBase && cell.timestamp() == base ? Fragments.CELL_SAME_TIMESTAMP : 0;
        if (cell.isTombstone())
            return flags | Fragments.CELL_TOMBSTONE;
        if (cell.isExpiring())
        {
            flags |= Fragments.CELL_EXPIRING;
            if (liveness.isExpiring() && cell.ttl() == liveness.ttl()
                && cell.localDeletionTime() == liveness.localExpirationTime())
                flags |= Fragments.CELL_SAME_EXPIRY;
        }
        if (cell.isCounterCell())
            flags |= Fragments.CELL_COUNTER;
        return cell.valueSize() == 0 ? flags | Fragments.CELL_EMPTY : flags;
    }

    private <V> void putCell(DirectOutput out, Cell<V> cell, int flags)
    {
        smallest = Math.min(smallest, cell.timestamp());
        if ((flags & Fragments.CELL_SAME_TIMESTAMP) == 0)
            out.putLong(cell.timestamp());
        boolean ownExpiry = (flags & (Fragments.CELL_EXPIRING | Fragments.CELL_SAME_EXPIRY)) == Fragments.CELL_EXPIRING;
        if (ownExpiry)
            out.putUnsignedVarint(cell.ttl());
        if (ownExpiry || (flags & Fragments.CELL_TOMBSTONE) != 0)
            out.putUnsignedVarint(cell.localDeletionTime());
        if ((flags & (Fragments.CELL_TOMBSTONE | Fragments.CELL_EMPTY)) != 0)
            return;
        ValueAccessor<V> accessor = cell.accessor();
        V value = cell.value();
        if ((flags & Fragments.CELL_COUNTER) != 0 && CounterContext.instance().hasLegacyShards(value, accessor))
            throw new UnsupportedOperationException("counters with shards from before Cassandra 2.1 are not supported by"
                                                    + " Cassiterite: column " + cell.column().name);
        int size = accessor.size(value);
        out.putUnsignedVarint(size);
        out.putValue(accessor, value, size);
    }
}
