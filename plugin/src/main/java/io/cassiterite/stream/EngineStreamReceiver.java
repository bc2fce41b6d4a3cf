/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.util.ArrayList;
import java.util.List;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.streaming.CassandraStreamReceiver;
import org.apache.cassandra.dht.Bounds;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.streaming.StreamSession;

/**
 * Receives ordinary sstables and applies them as mutations. Mutations do not touch the counter cache, which would go on
 * handing out shards from before the stream, so the received ranges are dropped from it.
 */
final class EngineStreamReceiver extends CassandraStreamReceiver
{
    private final ColumnFamilyStore cfs;

    EngineStreamReceiver(ColumnFamilyStore cfs, StreamSession session, int totalStreams)
    {
        super(cfs, session, totalStreams);
        this.cfs = cfs;
    }

    @Override
    public void finished()
    {
        super.finished();
        if (cfs.metadata().isCounter())
            cfs.invalidateCounterCache(Bounds.getNonOverlappingBounds(receivedBounds()));
    }

    private List<Bounds<Token>> receivedBounds()
    {
        List<Bounds<Token>> bounds = new ArrayList<>(sstables.size());
        for (SSTableReader sstable : sstables)
            bounds.add(new Bounds<>(sstable.getFirst().getToken(), sstable.getLast().getToken()));
        return bounds;
    }
}
