/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.DeletionTime;
import org.apache.cassandra.db.rows.AbstractUnfilteredRowIterator;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.db.rows.Unfiltered;

/** A partition without range tombstones: its rows, one by one. */
final class PartitionRows extends AbstractUnfilteredRowIterator
{
    private final ReadContext context;
    private final RowSource source;
    private Row first;

    /** @param first a row that has been read from the source already, or null */
    PartitionRows(ReadContext context, DecoratedKey key, DeletionTime deletion, Row staticRow, boolean reversed,
                  RowSource source, Row first)
    {
        super(context.metadata(), key, deletion, context.selection.filter.fetchedColumns(), staticRow, reversed, context.stats);
        this.context = context;
        this.source = source;
        this.first = first;
    }

    @Override
    protected Unfiltered computeNext()
    {
        if (first != null)
        {
            Row row = first;
            first = null;
            return row;
        }
        while (source.nextRow())
        {
            Row row = read();
            if (row != null)
                return row;
        }
        return endOfData();
    }

    private Row read()
    {
        if (partitionLevelDeletion.isLive())
            return context.readRow(source.answer());
        Row row = context.readWholeRow(source.answer());
        return row == null ? null : row.filter(context.selection.filter, partitionLevelDeletion, false, metadata);
    }

    @Override
    public void close()
    {
        source.close();
    }
}
