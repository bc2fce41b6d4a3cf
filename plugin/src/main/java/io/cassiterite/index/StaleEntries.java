/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.index;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.db.DeletionTime;
import org.apache.cassandra.db.filter.ColumnFilter;
import org.apache.cassandra.db.rows.Cell;
import org.apache.cassandra.db.rows.CellPath;
import org.apache.cassandra.db.rows.ComplexColumnData;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.io.FSError;
import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.utils.FBUtilities;
import org.apache.cassandra.utils.NoSpamLogger;

import io.cassiterite.engine.Buffers;
import io.cassiterite.engine.DirectOutput;
import io.cassiterite.memtable.CassiteriteMemtable;
import io.cassiterite.memtable.IndexEntry;
import io.cassiterite.memtable.IndexPartWriter;

/**
 * Entries that a query has met though their rows have newer values: they are removed, at their own timestamp, so that a
 * newer entry of the same row stays (danger S11). An entry whose row shows nothing that supersedes it stays, too: what
 * it was for may come back. For one thread.
 */
final class StaleEntries
{
    private static final Logger logger = LoggerFactory.getLogger(StaleEntries.class);
    private static final NoSpamLogger RARE = NoSpamLogger.getLogger(logger, 1, TimeUnit.MINUTES);

    private final CassiteriteMemtable memtable;
    /** What removes an entry must not outlive what superseded it, as it would where the log has only the first. */
    private final boolean isLogged;
    private final List<Stale> stale = new ArrayList<>();

    StaleEntries(CassiteriteMemtable memtable)
    {
        this.memtable = memtable;
        this.isLogged = memtable.isLogged();
    }

    /** Remembers which of a hit's entries its row has superseded. */
    void judge(Hits.Hit hit, Row row, DeletionTime partition, ColumnFilter fetched)
    {
        if (!isLogged)
            return;
        for (int i = 0; i < hit.entries.size(); i++)
            if (hit.sources.get(i).column.isOfRow && isSuperseded(hit.sources.get(i), hit.entries.get(i), row, partition, fetched))
                stale.add(new Stale(hit.sources.get(i), hit.entries.get(i)));
    }

    /** The same for entries of a partition. */
    void judgePartition(Hits.Hit hit, UnfilteredRowIterator partition, ColumnFilter fetched)
    {
        if (!isLogged)
            return;
        for (int i = 0; i < hit.entries.size(); i++)
            if (isSuperseded(hit.sources.get(i), hit.entries.get(i), partition.staticRow(), partition.partitionLevelDeletion(), fetched))
                stale.add(new Stale(hit.sources.get(i), hit.entries.get(i)));
    }

    private static boolean isSuperseded(EntrySource source, IndexEntry entry, Row row, DeletionTime partition, ColumnFilter fetched)
    {
        if (source.value == null)
            return false;
        if (partition.deletes(entry.timestamp) || row.deletion().time().deletes(entry.timestamp))
            return true;
        ColumnMetadata column = source.column.column;
        if (column.isPrimaryKeyColumn() || row.isStatic() != column.isStatic() || !fetched.fetches(column))
            return false;
        if (column.isComplex())
            return isSupersededIn(row.getComplexColumnData(column), source, entry);
        Cell<?> cell = row.getCell(column);
        return cell != null && cell.timestamp() > entry.timestamp;
    }

    private static boolean isSupersededIn(ComplexColumnData data, EntrySource source, IndexEntry entry)
    {
        if (data == null)
            return false;
        if (data.complexDeletion().deletes(entry.timestamp))
            return true;
        // the value of an entry without a path of its own begins with the path
        CellPath path = CellPath.create(entry.path == null ? source.value.bufferAt(0) : entry.path.bufferAt(0));
        Cell<?> cell = data.getCell(path);
        return cell != null && cell.timestamp() > entry.timestamp;
    }

    /** Removes what was found stale so far. A failure does no harm. */
    void remove()
    {
        if (stale.isEmpty())
            return;
        try
        {
            write();
        }
        catch (RuntimeException | FSError e)
        {
            RARE.info("Stale index entries of {} stay for now", memtable.metadata(), e);
        }
        finally
        {
            stale.clear();
        }
    }

    private void write()
    {
        DirectOutput request = Buffers.request();
        IndexPartWriter.beginRequest(request, stale.get(0).entry.key, stale.size());
        for (Stale one : stale)
        {
            IndexPartWriter writer = new IndexPartWriter(one.source.column.keys, false);
            writer.begin(request, one.source.number);
            writer.delete(one.source.value, one.entry.key, one.entry.row, one.entry.path, one.entry.timestamp, FBUtilities.nowInSeconds());
            writer.end();
        }
        memtable.table().write(request, true);
    }

    private static final class Stale
    {
        private final EntrySource source;
        private final IndexEntry entry;

        private Stale(EntrySource source, IndexEntry entry)
        {
            this.source = source;
            this.entry = entry;
        }
    }
}
