/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.util.Collection;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.streaming.CassandraStreamManager;
import org.apache.cassandra.locator.RangesAtEndpoint;
import org.apache.cassandra.streaming.IncomingStream;
import org.apache.cassandra.streaming.OutgoingStream;
import org.apache.cassandra.streaming.PreviewKind;
import org.apache.cassandra.streaming.StreamReceiver;
import org.apache.cassandra.streaming.StreamSession;
import org.apache.cassandra.streaming.messages.StreamMessageHeader;
import org.apache.cassandra.utils.TimeUUID;

import io.cassiterite.schema.EngineTable;

/**
 * Streams of an engine table. Sending is refused, because the stock sender sees only sstables and would report success
 * with nothing sent. Ordinary sstables are received and applied row by row, as Cassandra does for any memtable that
 * wants streams as mutations. Under a stock memtable everything is Cassandra's own.
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
        if (EngineTable.is(cfs))
            throw refused(session, "sending its data to another node (" + session.getStreamOperation().getDescription() +
                                   ") is not supported yet; this node must keep its ranges");
        return super.createOutgoingStreams(session, replicas, pendingRepair, previewKind);
    }

    @Override
    public IncomingStream prepareIncomingStream(StreamSession session, StreamMessageHeader header)
    {
        ensureReceivable(session);
        return super.prepareIncomingStream(session, header);
    }

    @Override
    public StreamReceiver createStreamReceiver(StreamSession session, int totalStreams)
    {
        ensureReceivable(session);
        return EngineTable.is(cfs) ? new EngineStreamReceiver(cfs, session, totalStreams)
                                   : super.createStreamReceiver(session, totalStreams);
    }

    private void ensureReceivable(StreamSession session)
    {
        if (!EngineTable.is(cfs))
            return;
        if (!cfs.streamToMemtable())
            throw refused(session, "received sstables would not be applied to the engine");
        if (session.getPendingRepair() != null)
            throw refused(session, "incremental repair is not supported: rows in the engine are never marked repaired");
    }

    private IllegalStateException refused(StreamSession session, String reason)
    {
        String message = String.format("[Stream #%s] %s is a Cassiterite table: %s.", session.planId(), cfs.metadata(), reason);
        logger.error(message);
        return new IllegalStateException(message);
    }
}
