/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.engine;

import java.util.List;
import java.util.function.Supplier;

/**
 * One generation of one table in the store. Thread-safe. Handles are counted by the engine: a call after the
 * generation was retired or the store closed fails with kind CLOSED, it never uses freed memory.
 */
public final class Table
{
    private static final int NO_WAL = 1;

    private final Store store;
    private final long handle;
    private final String name;

    Table(Store store, long handle, String name)
    {
        this.store = store;
        this.handle = handle;
        this.name = name;
    }

    /** Applies a write request atomically; durable as the node's commit log mode says, unless {@code durable} is false. */
    public void write(DirectOutput request, boolean durable)
    {
        try
        {
            Native.write(handle, request.address(), request.length(), durable ? 0 : NO_WAL);
        }
        catch (EngineException e)
        {
            throw Failures.onWrite(e, this);
        }
    }

    /** Reads one partition; the answer must be closed. */
    public Answer read(DirectOutput request, Answer.Watch watch)
    {
        return Answer.read(this, request, watch);
    }

    /** Reads a range of partitions; the answer must be closed. */
    public Answer scan(DirectOutput request, Answer.Watch watch)
    {
        return Answer.scan(this, request, watch);
    }

    /** A view of what the table holds now; it must be closed. */
    public View view()
    {
        return ask(() -> new View(this, Native.viewOpen(handle)));
    }

    /** Brings the columns up to the schema and returns their ids; {@code request} is a {@link TableSchema} request. */
    public ColumnIds columns(byte[] request)
    {
        try
        {
            return ColumnIds.parse(Native.tableColumns(handle, request));
        }
        catch (EngineException e)
        {
            throw Failures.onWrite(e, this);
        }
    }

    /** Starts an empty generation, durably, and returns it; this one stays readable until {@link #retire}. */
    public Table truncate()
    {
        try
        {
            return new Table(store, Native.tableTruncate(handle), name);
        }
        catch (EngineException e)
        {
            throw Failures.onWrite(e, this);
        }
    }

    /** Deletes the files of a generation that {@link #truncate} replaced. */
    public void retire()
    {
        change(() -> Native.tableRetire(handle));
    }

    /** Writes the table's data in memory to a file. */
    public void flush()
    {
        change(() -> Native.tableFlush(handle));
    }

    /** Rewrites the whole table, purging what may be purged. Takes long. */
    public void compact()
    {
        change(() -> Native.tableCompact(handle));
    }

    /** @see Native#tableAutomaticCompaction */
    public long compactAutomatically(boolean on)
    {
        try
        {
            return Native.tableAutomaticCompaction(handle, on);
        }
        catch (EngineException e)
        {
            throw Failures.onWrite(e, this);
        }
    }

    /** @see Native#tablePurge */
    public void purge(long gcGraceSeconds, long maxPurgeableTimestamp, long nowOffsetSeconds)
    {
        try
        {
            Native.tablePurge(handle, gcGraceSeconds, maxPurgeableTimestamp, nowOffsetSeconds);
        }
        catch (EngineException e)
        {
            throw Failures.onWrite(e, this);
        }
    }

    /** Links a consistent image of the table into {@code directory}, which must not exist; its parent must. */
    public void snapshot(String directory)
    {
        try
        {
            Native.tableSnapshot(handle, directory);
        }
        catch (EngineException e)
        {
            throw Failures.onWrite(e, this);
        }
    }

    /** Merges a snapshot into the table; returns the number of fragments loaded. */
    public long load(String directory)
    {
        try
        {
            return Native.tableLoad(handle, directory);
        }
        catch (EngineException e)
        {
            throw Failures.onWrite(e, this);
        }
    }

    /** Brings what waits for incremental backups into a directory; what was not brought still waits. @return the increments */
    public long backUp(String directory)
    {
        return Native.tableBackUp(handle, directory);
    }

    /** Leaves what waits out of all incremental backups. */
    public void forgetIncrements()
    {
        Native.tableForgetIncrements(handle);
    }

    /**
     * Writes a shipment of the data in {@code ranges} into {@code directory}, which must not exist; its parent must. Holds
     * every row that was written before the call. Deleting the directory releases it.
     */
    public List<ShipmentFile> export(TokenRanges ranges, String directory)
    {
        try
        {
            return ShipmentFile.parse(Native.tableExport(handle, ranges.bytes(), directory));
        }
        catch (EngineException e)
        {
            throw Failures.onWrite(e, this);
        }
    }

    /**
     * Moves the shipment in {@code directory} into the table, atomically and durably; the directory is then gone.
     *
     * @return bytes of whole files that had to be rewritten as rows
     */
    public long receive(String directory)
    {
        try
        {
            return Native.tableReceive(handle, directory);
        }
        catch (EngineException e)
        {
            throw Failures.onWrite(e, this);
        }
    }

    /**
     * Takes in the snapshot of this table that {@code directory} holds, by its files; atomic, durable when it returns.
     *
     * @return bytes of files that had to be rewritten as rows
     * @throws EngineException says what is wrong with the directory: nothing was taken in
     */
    public long restore(String directory)
    {
        return Native.tableRestore(handle, directory);
    }

    /** One step of the merge-in; returns the bytes that are still to be merged in, 0 when done. Takes long. */
    public long mergeIn()
    {
        try
        {
            return Native.tableMergeIn(handle);
        }
        catch (EngineException e)
        {
            throw Failures.onWrite(e, this);
        }
    }

    /** Removes everything outside {@code ranges}, also from the files. Takes long; see {@link #stopCleanup}. */
    public void cleanup(TokenRanges ranges)
    {
        change(() -> Native.tableCleanup(handle, ranges.bytes()));
    }

    /** Ends a {@link #cleanup} that runs, with an exception that says why. */
    public void stopCleanup()
    {
        Native.tableStopCleanup(handle);
    }

    /** How much data each of {@code ranges} holds, in their order. Estimates; never 0 where there is data. */
    public List<RangeSize> sizes(TokenRanges ranges)
    {
        try
        {
            return RangeSize.parse(Native.tableRanges(handle, ranges.bytes()));
        }
        catch (EngineException e)
        {
            throw Failures.onRead(e, this);
        }
    }

    /** Bytes of the largest partition, uncompressed, estimated; 0 where a search finds none that is much larger than others. */
    public long largePartitionBytes()
    {
        return ask(() -> Native.tableLargePartition(handle));
    }

    public TableStats stats()
    {
        return ask(() -> new TableStats(handle));
    }

    public TableFiles files()
    {
        return ask(() -> new TableFiles(handle));
    }

    /**
     * Reads all files of the table and of its indexes. Takes long.
     *
     * @param ranges that entries must lie in, where they are decoded; none for any
     * @throws EngineException of kind CORRUPTION names the files that are not what was written
     */
    public Verified verify(Verified.Depth depth, TokenRanges ranges)
    {
        return new Verified(handle, depth, ranges);
    }

    /** Ends every {@link #verify} that runs, with an exception of kind BUSY, at the next MiB that it reads. */
    public void stopVerification()
    {
        Native.tableStopVerification(handle);
    }

    /** @return bytes of files that every {@link #verify} that runs has read, and of how many; zeros where none runs */
    public long[] verifiedBytes()
    {
        long[] figures = new long[2];
        Native.tableVerifiedBytes(handle, figures);
        return figures;
    }

    /** Makes an index, durably, where the generation has none of the name. */
    public IndexState createIndex(String index)
    {
        try
        {
            return new IndexState(Native.indexCreate(handle, index));
        }
        catch (EngineException e)
        {
            throw Failures.onWrite(e, this);
        }
    }

    /** Drops an index, durably; unknown ones are fine. */
    public void dropIndex(String index)
    {
        change(() -> Native.indexDrop(handle, index));
    }

    public IndexState indexState(String index)
    {
        return ask(() -> new IndexState(Native.indexState(handle, index)));
    }

    /** Whether each row of the table has its entries of an index, which is given by its number. */
    public boolean isIndexComplete(int index)
    {
        try
        {
            return Native.indexIsComplete(handle, index);
        }
        catch (EngineException e)
        {
            throw Failures.onRead(e, this);
        }
    }

    /**
     * Marks an index complete, durably; one that was dropped meanwhile is fine.
     *
     * @param index its number
     * @return false if rows have come without entries since a state was so
     */
    public boolean completeIndex(int index, IndexState since)
    {
        try
        {
            return Native.indexComplete(handle, index, since.missedWrites, since.missedLoads);
        }
        catch (EngineException e)
        {
            throw Failures.onWrite(e, this);
        }
    }

    /** The table that holds the entries of an index of this generation: to be read, nothing else. */
    public Table index(String index)
    {
        return ask(() -> new Table(store, Native.indexTable(handle, index), name + '.' + index));
    }

    /** The names of the generation's indexes. */
    public List<String> indexNames()
    {
        String names = ask(() -> Native.indexNames(handle));
        return names.isEmpty() ? List.of() : List.of(names.split("\n"));
    }

    /** For what no request asks: the lambda is an object. */
    private <T> T ask(Supplier<T> call)
    {
        try
        {
            return call.get();
        }
        catch (EngineException e)
        {
            throw Failures.onRead(e, this);
        }
    }

    private void change(Runnable call)
    {
        try
        {
            call.run();
        }
        catch (EngineException e)
        {
            throw Failures.onWrite(e, this);
        }
    }

    public Store store()
    {
        return store;
    }

    /** "keyspace.table", for messages. */
    public String name()
    {
        return name;
    }

    long handle()
    {
        return handle;
    }
}
