/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.streaming.CassandraStreamManager;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.io.FSError;
import org.apache.cassandra.locator.RangesAtEndpoint;
import org.apache.cassandra.streaming.IncomingStream;
import org.apache.cassandra.streaming.OutgoingStream;
import org.apache.cassandra.streaming.PreviewKind;
import org.apache.cassandra.streaming.StreamReceiver;
import org.apache.cassandra.streaming.StreamSession;
import org.apache.cassandra.streaming.messages.StreamMessageHeader;
import org.apache.cassandra.utils.TimeUUID;

import io.cassiterite.engine.EngineException;
import io.cassiterite.engine.Failures;
import io.cassiterite.engine.Table;
import io.cassiterite.engine.TokenRanges;
import io.cassiterite.memtable.CassiteriteMemtable;
import io.cassiterite.memtable.EngineTables;
import io.cassiterite.memtable.SstablesBeside;
import io.cassiterite.node.CommitLogParameter;
import io.cassiterite.node.EngineTable;
import io.cassiterite.node.PluginGossip;

/**
 * Streams of an engine table. Nodes that have it in the engine, too, get shipments; others get ordinary sstables, written
 * for the stream. Sstables that lie beside the engine are sent by Cassandra's own code. Both ways are received. Under a stock
 * memtable everything is Cassandra's own.
 */
public final class EngineStreamManager extends CassandraStreamManager
{
    private static final Logger logger = LoggerFactory.getLogger(EngineStreamManager.class);

    private final ColumnFamilyStore cfs;

    public EngineStreamManager(ColumnFamilyStore cfs)
    {
        super(cfs);
        this.cfs = cfs;
    }

    @Override
    public Collection<OutgoingStream> createOutgoingStreams(StreamSession session,
                                                            RangesAtEndpoint replicas,
                                                            TimeUUID pendingRepair,
                                                            PreviewKind previewKind)
    {
        if (!EngineTable.is(cfs))
            return super.createOutgoingStreams(session, replicas, pendingRepair, previewKind);
        ensureNotIncremental(session, pendingRepair);
        CassiteriteMemtable memtable = EngineTables.find(cfs.metadata.id);
        if (memtable == null)
            return createAllStreams(session, replicas, pendingRepair, previewKind);
        SstablesBeside.Look look = memtable.sstables().lookAtBoth();
        try (look)
        {
            return createAllStreams(session, replicas, pendingRepair, previewKind);
        }
    }

    private Collection<OutgoingStream> createAllStreams(StreamSession session, RangesAtEndpoint replicas, TimeUUID pendingRepair,
                                                        PreviewKind previewKind)
    {
        // sstables first: rows that move from them into the engine meanwhile are then sent twice, not lost
        List<OutgoingStream> streams = new ArrayList<>(super.createOutgoingStreams(session, replicas, pendingRepair, previewKind));
        try
        {
            streams.addAll(createEngineStreams(session, Range.normalize(replicas.ranges()), previewKind));
            return streams;
        }
        catch (FSError e)
        {
            streams.forEach(OutgoingStream::finish);
            throw unsendable(session, e);
        }
        catch (Throwable t)
        {
            streams.forEach(OutgoingStream::finish);
            throw t;
        }
    }

    private List<OutgoingStream> createEngineStreams(StreamSession session, List<Range<Token>> ranges, PreviewKind previewKind)
    {
        if (previewKind == PreviewKind.REPAIRED)
            return List.of(); // nothing in the engine is ever marked repaired
        CassiteriteMemtable memtable = EngineTables.find(cfs.metadata.id);
        Table table = memtable == null ? null : memtable.table();
        if (table == null)
            throw refused(session, "it is being dropped");
        RingBoundaries.refresh(table.store());
        if (previewKind.isPreview())
            return PreviewStream.of(cfs.metadata.id, table.sizes(TokenRanges.of(ranges)));
        // the peer may write what it gets to its commit log row by row, for CDC: sstables allow that
        if (!cfs.metadata().params.cdc && PluginGossip.takes(session.peer, cfs.metadata().params.memtable.configurationKey()))
            return OutgoingShipment.prepare(session, cfs.metadata(), table, ranges);
        return SstableShipment.prepare(session, cfs, memtable, ranges);
    }

    @Override
    public IncomingStream prepareIncomingStream(StreamSession session, StreamMessageHeader header)
    {
        if (header.repairedAt == StreamHeader.MARKER)
        {
            if (!EngineTable.is(cfs))
                throw refused(session, "a peer sends it files of the engine, but here it has a stock memtable");
            if (EngineStreamReceiver.isForCdc(cfs))
                throw refused(session, "it has CDC, which files of the engine would bypass: its peer does not know that yet. Stream again");
            return new IncomingFile(cfs, session, header);
        }
        ensureLandable(session);
        return super.prepareIncomingStream(session, header);
    }

    @Override
    public StreamReceiver createStreamReceiver(StreamSession session, int totalStreams)
    {
        if (EngineTable.is(cfs))
            ensureNotIncremental(session, session.getPendingRepair());
        return EngineTable.is(cfs) ? new EngineStreamReceiver(cfs, session, totalStreams)
                                   : super.createStreamReceiver(session, totalStreams);
    }

    /** Cassandra would write what is received row by row, where neither CDC without a commit log nor a view would get it. */
    private void ensureLandable(StreamSession session)
    {
        if (cfs.metadata().params.cdc && EngineTable.skipsCommitLog(cfs.metadata()))
            throw refused(session, "it has CDC, but its memtable configuration here has no " + CommitLogParameter.NAME + ": true");
        if (EngineTable.is(cfs) && !cfs.viewManager.isEmpty())
            throw refused(session, "it has a view, which Cassiterite does not support");
    }

    private void ensureNotIncremental(StreamSession session, TimeUUID pendingRepair)
    {
        if (pendingRepair != null)
            throw refused(session, "incremental repair is not supported: rows in the engine are never marked repaired");
    }

    /**
     * An exception ends the session; after an Error Cassandra would leave the peer waiting. The disk failure policy
     * decides about the node, except for a full device: only files for the peer did not fit.
     */
    private IllegalStateException unsendable(StreamSession session, FSError failure)
    {
        if (!isOutOfSpace(failure))
            Failures.toPolicy(failure);
        Throwable cause = failure.getCause() == null ? failure : failure.getCause();
        String message = String.format("[Stream #%s] %s cannot be sent: %s", session.planId(), cfs.metadata(), cause.getMessage());
        logger.error(message);
        return new IllegalStateException(message, cause);
    }

    private static boolean isOutOfSpace(FSError failure)
    {
        Throwable cause = failure.getCause();
        return cause instanceof EngineException ? ((EngineException) cause).kind() == EngineException.Kind.NO_SPACE
                                                : cause != null && String.valueOf(cause.getMessage()).contains("No space left on device");
    }

    private IllegalStateException refused(StreamSession session, String reason)
    {
        String message = String.format("[Stream #%s] Streaming %s, a Cassiterite table, is refused: %s.", session.planId(),
                                       cfs.metadata(), reason);
        logger.error(message);
        return new IllegalStateException(message);
    }
}
