/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.index;

import java.util.ArrayList;
import java.util.List;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.rows.Row;

import io.cassiterite.engine.Buffers;
import io.cassiterite.engine.DirectOutput;
import io.cassiterite.engine.EngineException;
import io.cassiterite.engine.Table;
import io.cassiterite.memtable.IndexPartWriter;

/** Rows in the order of the table, whose entries are written together. For one thread. */
final class EntryPage
{
    private static final int ROWS = 1_000;
    private static final long BYTES = 4 << 20;

    private final ColumnFamilyStore cfs;
    private final List<EngineIndex> indexes;
    private final List<Found> rows = new ArrayList<>();
    private long bytes;

    EntryPage(ColumnFamilyStore cfs, List<EngineIndex> indexes)
    {
        this.cfs = cfs;
        this.indexes = indexes;
    }

    void clear()
    {
        rows.clear();
        bytes = 0;
    }

    /** Empty rows count as well: a page must end. */
    void add(DecoratedKey key, Row row)
    {
        rows.add(new Found(key, row));
        bytes += row.dataSize();
    }

    boolean isEmpty()
    {
        return rows.isEmpty();
    }

    boolean isFull()
    {
        return rows.size() >= ROWS || bytes >= BYTES;
    }

    /** Of its rows. */
    long bytes()
    {
        return bytes;
    }

    /** Writes the entries of its rows, of which there are some. */
    void write()
    {
        DirectOutput request = Buffers.request();
        IndexPartWriter.beginRequest(request, rows.get(0).key, indexes.size());
        for (EngineIndex index : indexes)
            putEntries(request, index);
        write(request);
    }

    private void putEntries(DirectOutput request, EngineIndex index)
    {
        DecoratedKey key = rows.get(0).key;
        RowIndexer.PartEntries part = new RowIndexer.PartEntries(index, key, cfs.keyspace.getMetadata().params.durableWrites);
        part.begin(request);
        for (Found found : rows)
        {
            if (found.key != key)
                part.partition(key = found.key);
            part.add(found.row);
        }
        part.end();
    }

    /** Where the table is truncated meanwhile, the entries are of no use, and do no harm. */
    private void write(DirectOutput request)
    {
        Table table = IndexBuild.tableOf(cfs);
        try
        {
            table.write(request, true);
        }
        catch (EngineException e)
        {
            if (e.kind() != EngineException.Kind.CLOSED || IndexBuild.tableOf(cfs) == table)
                throw e;
        }
    }

    private static final class Found
    {
        private final DecoratedKey key;
        private final Row row;

        private Found(DecoratedKey key, Row row)
        {
            this.key = key;
            this.row = row;
        }
    }
}
