/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import org.apache.cassandra.db.DataRange;
import org.apache.cassandra.db.EmptyIterators;
import org.apache.cassandra.db.partitions.UnfilteredPartitionIterator;
import org.apache.cassandra.schema.TableMetadata;

import io.cassiterite.engine.View;

/** What an engine table held when this was opened, all columns. It must be closed. Thread-safe. */
public final class MemtableView implements AutoCloseable
{
    private final TableMetadata metadata;
    private final ReadContext context;
    private final View view;

    /** @param context null if the table is not open in the engine: it holds nothing then */
    MemtableView(TableMetadata metadata, ReadContext context)
    {
        this.metadata = metadata;
        this.context = context;
        this.view = context == null ? null : context.table.view();
    }

    /** The partitions in a range, which are not read before the first is asked for; until then the view must be open. */
    public UnfilteredPartitionIterator partitions(DataRange range)
    {
        return view == null ? EmptyIterators.unfilteredPartition(metadata) : new ScanReader(context, range, view);
    }

    @Override
    public void close()
    {
        if (view != null)
            view.close();
    }
}
