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
    private final Table table;
    private final List<EngineIndex> indexes;
    private final boolean isOfTable;
    private final boolean mayExpire;
    private final List<Found> rows = new ArrayList<>();
    private long bytes;

    private EntryPage(ColumnFamilyStore cfs, Table table, List<EngineIndex> indexes, boolean mayExpire)
    {
        this.cfs = cfs;
        this.table = table;
        this.indexes = indexes;
        this.isOfTable = table == null;
        this.mayExpire = mayExpire;
    }

    /** For rows that the table has: a crash loses them only where its writes are not durable. */
    static EntryPage ofTable(ColumnFamilyStore cfs, List<EngineIndex> indexes)
    {
        return new EntryPage(cfs, null, indexes, cfs.keyspace.getMetadata().params.durableWrites);
    }

    /**
     * For rows that are to come into a generation of the table, or not: an entry that expires would hide one of a row that stays,
     * where they do not come.
     */
    static EntryPage ofComing(ColumnFamilyStore cfs, Table table, List<EngineIndex> indexes)
    {
        return new EntryPage(cfs, table, indexes, false);
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
        RowIndexer.PartEntries part = new RowIndexer.PartEntries(index, key, mayExpire, isOfTable);
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
        Table into = table == null ? IndexBuild.tableOf(cfs) : table;
        try
        {
            into.write(request, true);
        }
        catch (EngineException e)
        {
            if (e.kind() != EngineException.Kind.CLOSED || IndexBuild.tableOf(cfs) == into)
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
