/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.streaming.CassandraStreamReceiver;
import org.apache.cassandra.dht.Bounds;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.io.FSWriteError;
import org.apache.cassandra.io.sstable.CorruptSSTableException;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.streaming.IncomingStream;
import org.apache.cassandra.streaming.StreamSession;

import io.cassiterite.engine.EngineException;
import io.cassiterite.engine.Store;
import io.cassiterite.index.IndexedBulkLoad;
import io.cassiterite.memtable.MemtableStatistics;

/**
 * Receives the streams of one session for one table: shipments, which the engine takes in as a whole after the last
 * file, and ordinary sstables, which land beside the engine then. Neither way invalidates all caches, so their entries of
 * the received ranges are dropped at the end.
 */
final class EngineStreamReceiver extends CassandraStreamReceiver
{
    private static final Logger logger = LoggerFactory.getLogger(EngineStreamReceiver.class);

    private final ColumnFamilyStore cfs;
    private final StreamSession session;
    private final Map<UUID, IncomingShipment> shipments = new ConcurrentHashMap<>();
    private final BegunGeneration begun;
    private boolean over;
    /** The sstables are no longer this session's, but the table's. */
    private volatile boolean landed;

    EngineStreamReceiver(ColumnFamilyStore cfs, StreamSession session, int totalStreams)
    {
        super(cfs, session, totalStreams);
        this.cfs = cfs;
        this.session = session;
        this.begun = new BegunGeneration(cfs);
        MergeInTask.instance.receiving(cfs.metadata.id);
    }

    /** The receiver of a session's streams for a table. */
    static EngineStreamReceiver of(StreamSession session, ColumnFamilyStore cfs)
    {
        return (EngineStreamReceiver) session.getAggregator(cfs.metadata.id);
    }

    /** The shipment of a file; begun if the file is its first. */
    synchronized IncomingShipment shipment(StreamHeader header) throws IOException
    {
        if (over)
            throw new IOException("the session is over");
        begun.ensureCurrent();
        IncomingShipment shipment = shipments.get(header.shipment);
        if (shipment == null)
        {
            Store store = begun.table().store();
            RingBoundaries.refresh(store);
            shipment = new IncomingShipment(session, cfs.metadata(), store, header);
            shipments.put(header.shipment, shipment);
        }
        return shipment;
    }

    @Override
    public void received(IncomingStream stream)
    {
        if (!(stream instanceof IncomingFile))
        {
            super.received(stream);
            return;
        }
        try
        {
            ((IncomingFile) stream).received();
        }
        catch (IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    /** A file of a session that is over: its shipment has been discarded, or will be. */
    @Override
    public void discardStream(IncomingStream stream)
    {
        if (!(stream instanceof IncomingFile))
            super.discardStream(stream);
    }

    @Override
    public void finished()
    {
        List<Bounds<Token>> bounds = sstableBounds();
        shipments.values().forEach(shipment -> bounds.addAll(shipment.bounds()));
        begun.ensureCurrent();
        MemtableStatistics statistics = shipments.isEmpty() ? null : begun.memtable().statistics();
        if (statistics != null)
            statistics.beginBulkLoad();
        try
        {
            if (!sstables.isEmpty())
                bring(() -> takeSstables(isForCdc(cfs)));
            shipments.values().forEach(this::take);
        }
        finally
        {
            // also if one has failed: those before it stay in the table
            invalidateCaches(bounds);
            if (statistics != null)
                endBulkLoad(statistics);
        }
    }

    /** Nobody asks for the statistics of a generation that the table has no more, and the engine may have closed it. */
    private void endBulkLoad(MemtableStatistics statistics)
    {
        try
        {
            if (begun.isCurrent())
                statistics.reload();
        }
        finally
        {
            statistics.endBulkLoad();
        }
    }

    /** @return whether Cassandra writes the rows that it receives to its commit log, and so to the engine, for CDC */
    static boolean isForCdc(ColumnFamilyStore cfs)
    {
        return cfs.metadata().params.cdc && DatabaseDescriptor.isCDCOnRepairEnabled();
    }

    private void takeSstables(boolean forCdc)
    {
        if (forCdc)
        {
            begun.ensureCurrent();
            super.finished();
        }
        else
        {
            SstableLanding.land(cfs, begun, sstables, this::add);
        }
    }

    /** Also where it fails, some of them may be durable, and the table's. */
    private void add()
    {
        landed = true;
        super.finished();
    }

    private void take(IncomingShipment shipment)
    {
        begun.ensureCurrent(); // before indexes are called incomplete; the engine looks again when it has its locks
        bring(() -> IndexedBulkLoad.take(cfs, shipment.ranges(), () -> receive(shipment)));
    }

    private void bring(Runnable files)
    {
        try
        {
            files.run();
        }
        catch (FSWriteError | CorruptSSTableException e)
        {
            if (isOwnFault(e))
                throw e;
            // without the FSWriteError or CorruptSSTableException, which would stop the node
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new IllegalStateException("what has come cannot be taken into " + cfs.metadata() + ": " + cause.getMessage(), cause);
        }
    }

    private void receive(IncomingShipment shipment)
    {
        try
        {
            shipment.receive(begun.table());
        }
        catch (IOException e)
        {
            throw new UncheckedIOException(e);
        }
        catch (EngineException e)
        {
            if (e.kind() == EngineException.Kind.CLOSED)
                begun.ensureCurrent(); // says it as it does elsewhere
            throw e;
        }
    }

    /**
     * A corrupt file of a peer, or one that does not fit on the device, ends the session; this node's own files are not
     * affected.
     */
    private static boolean isOwnFault(Throwable failure)
    {
        if (!(failure.getCause() instanceof EngineException))
            return !(failure instanceof CorruptSSTableException);
        EngineException.Kind kind = ((EngineException) failure.getCause()).kind();
        return kind != EngineException.Kind.CORRUPTION && kind != EngineException.Kind.NO_SPACE;
    }

    private List<Bounds<Token>> sstableBounds()
    {
        List<Bounds<Token>> bounds = new ArrayList<>(sstables.size());
        for (SSTableReader sstable : sstables)
            bounds.add(new Bounds<>(sstable.getFirst().getToken(), sstable.getLast().getToken()));
        return bounds;
    }

    private void invalidateCaches(Collection<Bounds<Token>> bounds)
    {
        Collection<Bounds<Token>> disjoint = Bounds.getNonOverlappingBounds(bounds);
        int rows = cfs.isRowCacheEnabled() ? cfs.invalidateRowCache(disjoint) : 0;
        int counters = cfs.metadata().isCounter() ? cfs.invalidateCounterCache(disjoint) : 0;
        logger.debug("[Stream #{}] Dropped {} row and {} counter cache entries of {}", session.planId(), rows, counters, cfs.metadata());
    }

    /** Called after {@link #finished}, also when that has failed: Cassandra would leave the files of a failed one until a start. */
    @Override
    public synchronized void cleanup()
    {
        if (landed)
            end();
        else
            abort();
    }

    /** Deletes what was not taken in. */
    @Override
    public synchronized void abort()
    {
        try
        {
            super.abort();
        }
        finally
        {
            end();
        }
    }

    private synchronized void end()
    {
        boolean mayComeAgain = begun.isCurrent();
        shipments.values().forEach(shipment -> shipment.discard(mayComeAgain));
        if (!over)
        {
            begun.end();
            MergeInTask.instance.received(cfs.metadata.id);
        }
        over = true;
    }
}
