/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.util.ArrayList;
import java.util.List;

import com.google.common.collect.Iterators;

import org.apache.cassandra.db.DeletionTime;
import org.apache.cassandra.db.filter.ColumnFilter;
import org.apache.cassandra.db.rows.Cell;
import org.apache.cassandra.db.rows.ColumnData;
import org.apache.cassandra.db.rows.ComplexColumnData;
import org.apache.cassandra.db.rows.RangeTombstoneMarker;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.db.rows.Unfiltered;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.ByteBufferUtil;

/** The content of a partition, without what its own deletions hide. */
final class PartitionContent
{
    final TableMetadata metadata;
    final List<Object> content = new ArrayList<>();
    private final ColumnFilter columns;

    PartitionContent(UnfilteredRowIterator partition)
    {
        this(partition, null);
    }

    /** @param columns without what Cassandra's filter leaves out of rows whose liveness expires, null for all */
    PartitionContent(UnfilteredRowIterator partition, ColumnFilter columns)
    {
        this.columns = columns;
        metadata = partition == null ? null : partition.metadata();
        if (partition == null)
            return;
        DeletionTime deletion = partition.partitionLevelDeletion();
        if (!deletion.isLive())
            content.add(deletion);
        if (!partition.staticRow().isEmpty())
            add(normal(partition.staticRow(), deletion));
        DeletionTime active = deletion;
        while (partition.hasNext())
        {
            Unfiltered one = partition.next();
            if (one.isRow())
            {
                add(filtered(normal((Row) one, active)));
                continue;
            }
            RangeTombstoneMarker marker = (RangeTombstoneMarker) one;
            boolean reversed = partition.isReverseOrder();
            active = marker.isOpen(reversed) ? marker.openDeletionTime(reversed) : deletion;
            add(marker);
        }
        if (!content.isEmpty())
            content.add(0, partition.partitionKey());
    }

    private Row filtered(Row row)
    {
        return row == null || columns == null || !row.primaryKeyLivenessInfo().isExpiring() ? row : row.filter(columns, metadata);
    }

    private void add(Object one)
    {
        if (one != null)
            content.add(one);
    }

    /** As a read leaves it: without what is hidden, some of which Cassandra's memtable leaves in; null if nothing is left. */
    static Row normal(Row row, DeletionTime active)
    {
        Row.Merger merger = new Row.Merger(2, true);
        merger.add(0, row);
        merger.add(1, row);
        return merger.merge(active);
    }

    boolean isEmpty()
    {
        return content.isEmpty();
    }

    @Override
    public boolean equals(Object other)
    {
        List<Object> others = ((PartitionContent) other).content;
        if (content.size() != others.size())
            return false;
        for (int i = 0; i < content.size(); i++)
            if (!same(content.get(i), others.get(i)))
                return false;
        return true;
    }

    /** Rows are the same under clusterings that compare equal, as decimals 1 and 1.0 do. */
    private boolean same(Object a, Object b)
    {
        if (!(a instanceof Row) || !(b instanceof Row))
            return a.equals(b);
        Row one = (Row) a;
        Row two = (Row) b;
        return one.isStatic() == two.isStatic()
               && (one.isStatic() || metadata.comparator.compare(one.clustering(), two.clustering()) == 0)
               && one.primaryKeyLivenessInfo().equals(two.primaryKeyLivenessInfo()) && one.deletion().equals(two.deletion())
               && Iterators.elementsEqual(one.iterator(), two.iterator());
    }

    @Override
    public int hashCode()
    {
        return content.size();
    }

    @Override
    public String toString()
    {
        StringBuilder text = new StringBuilder();
        for (Object one : content)
            text.append("\n  ").append(one instanceof Unfiltered ? text(metadata, (Unfiltered) one) : one);
        return text.toString();
    }

    /**
     * With the bytes of all cells: Cassandra's own form takes a field of a user-defined type for all fields, and asks for as
     * much memory as its first bytes give.
     */
    static String text(TableMetadata metadata, Unfiltered one)
    {
        if (!one.isRow())
            return one.toString(metadata, true);
        Row row = (Row) one;
        StringBuilder text = new StringBuilder(row.clustering().toString(metadata));
        text.append(' ').append(row.primaryKeyLivenessInfo()).append(' ').append(row.deletion());
        for (ColumnData data : row)
        {
            text.append(' ').append(data.column().name);
            if (data instanceof ComplexColumnData)
            {
                text.append(' ').append(((ComplexColumnData) data).complexDeletion());
                ((ComplexColumnData) data).forEach(cell -> text.append(' ').append(text(cell)));
            }
            else
                text.append(text((Cell<?>) data));
        }
        return text.toString();
    }

    static String text(Cell<?> cell)
    {
        return String.format("[%s=%s ts=%d ttl=%d ldt=%d]", cell.path() == null ? "" : ByteBufferUtil.bytesToHex(cell.path().get(0)),
                             ByteBufferUtil.bytesToHex(cell.buffer()), cell.timestamp(), cell.ttl(), cell.localDeletionTime());
    }
}
