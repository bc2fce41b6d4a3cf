/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.move;

import org.apache.cassandra.db.RegularAndStaticColumns;
import org.apache.cassandra.db.compaction.CompactionInterruptedException;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.io.sstable.CorruptSSTableException;
import org.apache.cassandra.schema.TableMetadata;

import io.cassiterite.engine.ChunkWriter;
import io.cassiterite.engine.DirectOutput;
import io.cassiterite.engine.EngineException;
import io.cassiterite.memtable.CassiteriteMemtable;
import io.cassiterite.memtable.MemtableStatistics;

/** Partitions of sstables that come into the engine together. For one thread; must be closed. */
final class MovedChunk implements AutoCloseable
{
    static final long SCHEMA_HAS_CHANGED = -1;

    private final CassiteriteMemtable memtable;
    private final TableMetadata metadata;
    private final RegularAndStaticColumns columns;
    private final Runnable checkStop;
    private final ChunkWriter chunk;

    /**
     * @param metadata  with which the partitions are read
     * @param columns   as {@link PartitionPieces} takes them
     * @param checkStop throws what is to end the move
     */
    MovedChunk(CassiteriteMemtable memtable, TableMetadata metadata, RegularAndStaticColumns columns, Runnable checkStop)
    {
        this.memtable = memtable;
        this.metadata = metadata;
        this.columns = columns;
        this.checkStop = checkStop;
        this.chunk = ChunkWriter.begin(memtable.table());
    }

    /** @return bytes of the chunk so far; {@link #SCHEMA_HAS_CHANGED} if the partition is not what the table would have now */
    long append(UnfilteredRowIterator partition, ScanThrottle throttle)
    {
        try (UnfilteredRowIterator open = partition)
        {
            long bytes = 0;
            for (PartitionPieces pieces = new PartitionPieces(metadata, columns, open); pieces.hasNext(); )
            {
                checkStop.run();
                long appended = append(pieces);
                if (appended == SCHEMA_HAS_CHANGED)
                    return appended;
                bytes = Math.max(bytes, appended);
                throttle.await();
            }
            return bytes;
        }
    }

    private long append(PartitionPieces pieces)
    {
        try
        {
            DirectOutput request = memtable.requestToMove(pieces.next());
            return request == null ? 0 : chunk.append(request);
        }
        catch (CompactionInterruptedException | CorruptSSTableException e)
        {
            throw e;
        }
        catch (EngineException e)
        {
            if (e.kind() == EngineException.Kind.INVALID)
                return refuse(e);
            throw e;
        }
        catch (RuntimeException | AssertionError e)
        {
            return refuse(e); // values that are none of their type, say: whatever it is, other sstables can move
        }
    }

    /** After a change of the schema the rows are read anew before anything is said of them. */
    private long refuse(Throwable refusal)
    {
        if (memtable.metadata() != metadata)
            return SCHEMA_HAS_CHANGED;
        throw new UnmovableException(refusal);
    }

    /** Until it is known how old these rows are, no deletion is purged that could hide some of them. */
    void receive()
    {
        chunk.finish();
        MemtableStatistics statistics = memtable.statistics();
        statistics.beginBulkLoad();
        try
        {
            chunk.receive(true);
        }
        finally
        {
            try
            {
                statistics.reload(); // also after a failure: a part may be in the table
            }
            finally
            {
                statistics.endBulkLoad();
            }
        }
    }

    @Override
    public void close()
    {
        chunk.close();
    }
}
