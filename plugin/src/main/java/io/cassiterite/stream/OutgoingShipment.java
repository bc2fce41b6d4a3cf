/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Predicate;

import com.google.common.collect.Lists;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.streaming.OutgoingStream;
import org.apache.cassandra.streaming.StreamSession;

import io.cassiterite.engine.ShipmentFile;
import io.cassiterite.engine.Table;
import io.cassiterite.engine.TokenRanges;

/**
 * What one session sends of one table to a node with the plug-in: a folder of files, each a stream of its own. The
 * folder is deleted with the last of the streams. More ranges than a {@link StreamHeader} can name are sent as several
 * shipments. These need not be of one point in time: no partition is in two of them.
 */
final class OutgoingShipment
{
    private static final Logger logger = LoggerFactory.getLogger(OutgoingShipment.class);

    private OutgoingShipment()
    {
    }

    /**
     * Exports the ranges of a table.
     *
     * @param ranges sorted, without overlap
     * @return a stream per file, none if there is no data in the ranges
     */
    static List<OutgoingStream> prepare(StreamSession session, TableMetadata metadata, Table table, List<Range<Token>> ranges)
    {
        List<OutgoingStream> streams = new ArrayList<>();
        try
        {
            for (List<Range<Token>> part : Lists.partition(ranges, StreamHeader.MAX_RANGES))
                streams.addAll(prepareOne(session, metadata, table, part));
            return streams;
        }
        catch (Throwable t)
        {
            streams.forEach(OutgoingStream::finish);
            throw t;
        }
    }

    private static List<OutgoingStream> prepareOne(StreamSession session, TableMetadata metadata, Table table, List<Range<Token>> ranges)
    {
        UUID id = UUID.randomUUID();
        ScratchFolder folder = new ScratchFolder(StoreFolders.outgoing(table.store()).resolve(id.toString()));
        try
        {
            List<ShipmentFile> files = table.export(TokenRanges.of(ranges), folder.path.toString());
            List<OutgoingStream> streams = streams(session, metadata, id, folder, files, ranges);
            logger.info("[Stream #{}] {} of {} to {}{}", session.planId(), summary(files), metadata, session.peer,
                        PeerConnection.isEncrypted(session.peer) ? ": all of it is copied, for the connection is encrypted" : "");
            return streams;
        }
        finally
        {
            folder.release();
        }
    }

    private static List<OutgoingStream> streams(StreamSession session, TableMetadata metadata, UUID id, ScratchFolder folder,
                                                List<ShipmentFile> files, List<Range<Token>> ranges)
    {
        if (files.stream().allMatch(file -> file.kind() == ShipmentFile.Kind.MANIFEST))
            return List.of();
        Predicate<ShipmentFile> isRetained = RetainedFiles.of(session.peer, metadata.id);
        long bytes = files.stream().filter(isRetained.negate()).mapToLong(ShipmentFile::bytes).sum();
        StreamRecord record = StreamHistory.open(session, metadata, StreamRecord.Direction.OUT, id);
        record.expect(files.size(), bytes);
        List<OutgoingStream> streams = new ArrayList<>(files.size());
        for (ShipmentFile file : files)
        {
            StreamHeader header = new StreamHeader(file, isRetained.test(file), id, files.size(), bytes, ranges);
            folder.retain(1);
            streams.add(new OutgoingFile(metadata.id, header, file, folder, record, StreamEnd.of(session, over(folder, record))));
        }
        return streams;
    }

    /** A method of its own, so that the action cannot reference the session. */
    private static Runnable over(ScratchFolder folder, StreamRecord record)
    {
        return () ->
        {
            record.ended();
            folder.release();
        };
    }

    private static String summary(List<ShipmentFile> files)
    {
        return String.format("Whole files: %s, as rows: %s", sum(files, ShipmentFile.Kind.WHOLE), sum(files, ShipmentFile.Kind.ROWS));
    }

    private static String sum(List<ShipmentFile> files, ShipmentFile.Kind kind)
    {
        long count = files.stream().filter(file -> file.kind() == kind).count();
        long bytes = files.stream().filter(file -> file.kind() == kind).mapToLong(ShipmentFile::bytes).sum();
        return count + " with " + bytes + " bytes";
    }

    /** The path of a file of a shipment. */
    static Path file(ScratchFolder folder, StreamHeader header)
    {
        return folder.path.resolve(header.name);
    }
}
