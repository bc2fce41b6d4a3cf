/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicReference;

import io.netty.util.concurrent.FastThreadLocal;

import org.apache.cassandra.db.DataRange;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.EmptyIterators;
import org.apache.cassandra.db.PartitionPosition;
import org.apache.cassandra.db.ReadCommand;
import org.apache.cassandra.db.Slices;
import org.apache.cassandra.db.commitlog.CommitLogPosition;
import org.apache.cassandra.db.filter.ColumnFilter;
import org.apache.cassandra.db.memtable.Memtable;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.db.partitions.UnfilteredPartitionIterator;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.index.transactions.UpdateTransaction;
import org.apache.cassandra.io.FSError;
import org.apache.cassandra.io.sstable.CorruptSSTableException;
import org.apache.cassandra.io.sstable.SSTableReadsListener;
import org.apache.cassandra.schema.TableMetadataRef;
import org.apache.cassandra.utils.concurrent.OpOrder;

import io.cassiterite.engine.Buffers;
import io.cassiterite.engine.DirectOutput;
import io.cassiterite.engine.Failures;
import io.cassiterite.engine.Table;
import io.cassiterite.node.GuardedNode;
import io.cassiterite.node.Parameters;
import io.cassiterite.node.StartRefusal;

/**
 * A memtable that is the table: it keeps rows in the engine, for good. It is never flushed; only TRUNCATE and DROP
 * replace it. Reads and writes are here, the rest is in {@link EngineMemtable}.
 */
public final class CassiteriteMemtable extends EngineMemtable
{
    private static final FastThreadLocal<FragmentWriter> WRITERS = new FastThreadLocal<FragmentWriter>()
    {
        @Override
        protected FragmentWriter initialValue()
        {
            return new FragmentWriter();
        }
    };

    private final ConcurrentMap<String, Table> indexTables = new ConcurrentHashMap<>();
    private volatile ColumnSelection lastSelection;

    CassiteriteMemtable(AtomicReference<CommitLogPosition> commitLogLowerBound, TableMetadataRef metadata, Owner owner,
                        CassiteriteFactory factory, Table table, TruncatedTable truncated)
    {
        super(commitLogLowerBound, metadata, owner, factory, table, truncated);
    }

    /** Cassandra finds this method by its name and passes the parameters of a configuration; it takes all of them. */
    public static Memtable.Factory factory(Map<String, String> parameters)
    {
        CassiteriteFactory factory = factoryOf(parameters);
        GuardedNode.life().start(factory.parameters());
        parameters.clear();
        return factory;
    }

    private static CassiteriteFactory factoryOf(Map<String, String> parameters)
    {
        try
        {
            return new CassiteriteFactory(Parameters.of(parameters));
        }
        catch (IllegalArgumentException e)
        {
            throw StartRefusal.of(e.getMessage() + '.', e);
        }
    }

    @Override
    public long put(PartitionUpdate update, UpdateTransaction indexer, OpOrder.Group opGroup)
    {
        IndexedWrite indexed = IndexedWrite.of(indexer, metadata());
        NullBounds.check(update);
        Table table = tableToWrite();
        FragmentWriter writer = WRITERS.get();
        DirectOutput request = compose(writer, update);
        if (request != null)
        {
            boolean logged = writesAreLogged();
            if (indexed != null)
            {
                IndexPartWriter.beginParts(request, indexed.indexes());
                indexed.putEntries(request, update, logged);
            }
            statistics.record(writer.smallestTimestamp(), update.operationCount());
            write(table, request, logged);
        }
        return Long.MAX_VALUE;
    }

    private void write(Table table, DirectOutput request, boolean logged)
    {
        CommitLogBarrier barrier = logged ? commitLogBarrier() : null;
        if (barrier != null)
            barrier.awaitPaxosAndBatches();
        try
        {
            table.write(request, logged);
        }
        catch (FSError | CorruptSSTableException e)
        {
            throw Failures.ofMutation(e, table);
        }
    }

    /** False if a crash may lose writes that came before others which stay. */
    public boolean isLogged()
    {
        return writesAreLogged();
    }

    /** The table that holds an index's entries for this generation. */
    public Table indexTable(String index)
    {
        return indexTables.computeIfAbsent(index, table()::index);
    }

    /** Drops an index, durably. */
    public void dropIndex(String index)
    {
        table().dropIndex(index);
        indexTables.remove(index);
    }

    private DirectOutput compose(FragmentWriter writer, PartitionUpdate update)
    {
        DirectOutput request = Buffers.request();
        Columns columns = columns();
        // a column that was dropped and added again since is another one, of the same name
        if (columns.metadata != metadata() && !columns.metadata.droppedColumns.equals(metadata().droppedColumns))
            columns = refreshColumns();
        boolean hasContent = writer.write(request, update, columns);
        // a column that the present schema lacks has been dropped; others are new, and the schema change is on its way here
        if (writer.leftOutColumns() && columns.metadata != metadata())
            hasContent = writer.write(request.clear(), update, refreshColumns());
        return hasContent ? request : null;
    }

    /**
     * The request with which rows of sstables come into the engine as a part of a chunk; null if there is none. The next request
     * of this thread overwrites it.
     *
     * @throws IllegalStateException if it has cells that are younger than the drop of their column: they would be lost
     */
    public DirectOutput requestToMove(PartitionUpdate update)
    {
        NullBounds.check(update);
        FragmentWriter writer = WRITERS.get();
        DirectOutput request = compose(writer, update);
        if (writer.leftOutColumns())
            throw new IllegalStateException(metadata() + " has cells of a dropped column that are younger than its drop. Add the column"
                                            + " again, and drop it when the table has moved");
        return request;
    }

    @Override
    public UnfilteredRowIterator rowIterator(DecoratedKey key, Slices slices, ColumnFilter columnFilter, boolean reversed,
                                             SSTableReadsListener listener)
    {
        Table table = table();
        return table == null ? null : PartitionReader.read(context(table, columnFilter), key, slices, reversed);
    }

    @Override
    public UnfilteredRowIterator rowIterator(DecoratedKey key)
    {
        Table table = table();
        return table == null ? null : PartitionReader.readLazily(context(table, ColumnFilter.all(metadata())), key);
    }

    @Override
    public UnfilteredPartitionIterator partitionIterator(ColumnFilter columnFilter, DataRange dataRange,
                                                         SSTableReadsListener listener)
    {
        Table table = table();
        return table == null ? EmptyIterators.unfilteredPartition(metadata())
                             : new ScanReader(context(table, columnFilter), dataRange);
    }

    /** A view of what the table holds now, for scans that begin later. */
    public MemtableView view()
    {
        Table table = table();
        return new MemtableView(metadata(), table == null ? null : context(table, ColumnFilter.all(metadata())));
    }

    @Override
    public FlushablePartitionSet<?> getFlushSet(PartitionPosition from, PartitionPosition to)
    {
        throw Refusals.flush(metadata());
    }

    private ReadContext context(Table table, ColumnFilter filter)
    {
        Columns columns = columns();
        ColumnSelection selection = lastSelection;
        if (selection == null || selection.filter != filter || selection.columns != columns)
            lastSelection = selection = new ColumnSelection(filter, columns);
        return new ReadContext(table, columns, selection, statistics.encoding(), ReadCommand.getCommand());
    }
}
