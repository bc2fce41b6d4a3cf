/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.streaming.CassandraOutgoingFile;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.streaming.OutgoingStream;
import org.apache.cassandra.streaming.StreamSession;
import org.apache.cassandra.utils.FBUtilities;

import io.cassiterite.engine.RangeSize;
import io.cassiterite.engine.Store;
import io.cassiterite.engine.TokenRanges;
import io.cassiterite.memtable.CassiteriteMemtable;

/**
 * What one session sends of one table to a node that does not have it in the engine: the rows as sstables, written into a folder of
 * their own, never beside the table's, where Cassandra would open them as live at its next start. The folder is deleted
 * with the last of the streams.
 */
final class SstableShipment
{
    private static final Logger logger = LoggerFactory.getLogger(SstableShipment.class);

    private SstableShipment()
    {
    }

    /** @return a stream per sstable, none if the ranges hold no rows */
    static List<OutgoingStream> prepare(StreamSession session, ColumnFamilyStore cfs, CassiteriteMemtable memtable,
                                        List<Range<Token>> ranges)
    {
        List<RangeSize> sizes = memtable.table().sizes(TokenRanges.of(ranges));
        long partitions = sizes.stream().mapToLong(RangeSize::partitions).sum();
        long bytes = sizes.stream().mapToLong(RangeSize::bytes).sum();
        if (partitions == 0)
            return List.of();
        Store store = memtable.table().store();
        logger.info("[Stream #{}] {} has {} in sstables: about {} are written to such for it", session.planId(),
                    session.peer, cfs.metadata(), FBUtilities.prettyPrintMemory(bytes));
        ScratchFolder folder = new ScratchFolder(StoreFolders.outgoing(store).resolve(UUID.randomUUID().toString()));
        try
        {
            StagingSpace space = StagingSpace.reserve(store, bytes);
            try
            {
                Files.createDirectories(folder.path);
                return streams(session, new RowExport(cfs, folder.path, partitions).write(memtable, ranges), ranges, folder);
            }
            finally
            {
                space.release();
            }
        }
        catch (IOException e)
        {
            throw new UncheckedIOException(e);
        }
        finally
        {
            folder.release();
        }
    }

    private static List<OutgoingStream> streams(StreamSession session, Collection<SSTableReader> sstables, List<Range<Token>> ranges,
                                                ScratchFolder folder)
    {
        List<OutgoingStream> streams = new ArrayList<>(sstables.size());
        for (CassandraOutgoingFile file : files(session, sstables, ranges))
        {
            folder.retain(1);
            streams.add(new OutgoingSstable(file, StreamEnd.of(session, over(folder, file))));
        }
        return streams;
    }

    private static List<CassandraOutgoingFile> files(StreamSession session, Collection<SSTableReader> sstables,
                                                     List<Range<Token>> ranges)
    {
        List<CassandraOutgoingFile> files = new ArrayList<>(sstables.size());
        try
        {
            for (SSTableReader sstable : sstables)
                files.add(new CassandraOutgoingFile(session.getStreamOperation(), sstable.selfRef(),
                                                    sstable.getPositionsForRanges(ranges), ranges,
                                                    sstable.estimatedKeysForRanges(ranges)));
            return files;
        }
        catch (Throwable t)
        {
            sstables.forEach(sstable -> sstable.selfRef().release());
            throw t;
        }
    }

    /** A method of its own, so that the action cannot reference the session. */
    private static Runnable over(ScratchFolder folder, CassandraOutgoingFile file)
    {
        return () ->
        {
            try
            {
                file.finish();
            }
            finally
            {
                folder.release();
            }
        };
    }
}
