/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.apache.cassandra.dht.Bounds;
import org.apache.cassandra.dht.Murmur3Partitioner.LongToken;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.streaming.StreamSession;

import io.cassiterite.engine.ShipmentFile;
import io.cassiterite.engine.Store;
import io.cassiterite.engine.Table;
import io.cassiterite.node.SyncedFolder;

/**
 * A shipment that is being received: a folder on the store's filesystem, which the engine takes in when it is complete.
 * Thread-safe: several connections bring its files, and the session may fail meanwhile.
 */
final class IncomingShipment
{
    private static final Token LAST = new LongToken(Long.MAX_VALUE);
    static final String UUID_FORM = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
    private static final Pattern FOLDER = Pattern.compile("stream-" + UUID_FORM + "-(" + UUID_FORM + ")-.*");

    private final Store store;
    private final TableId table;
    private final StreamHeader first;
    private final Path folder;
    private final StagingSpace space;
    private final StreamRecord record;
    private final Map<String, IncomingFile> verified = new LinkedHashMap<>();
    private boolean over;

    /**
     * @param first the stream header of the first file that is received
     * @throws IOException if there is no space for all of it; then nothing of it is left
     */
    IncomingShipment(StreamSession session, TableMetadata metadata, Store store, StreamHeader first) throws IOException
    {
        this.store = store;
        this.table = metadata.id;
        this.first = first;
        String name = String.join("-", "stream", session.planId().toString(), table.toString(),
                                  session.peer.getHostAddressAndPort().replaceAll("[^0-9A-Za-z.]", "_"),
                                  first.shipment.toString());
        this.folder = StoreFolders.incoming(store).resolve(name);
        this.space = begin(store, folder, first.shipmentBytes);
        this.record = StreamHistory.open(session, metadata, StreamRecord.Direction.IN, first.shipment);
        record.expect(first.shipmentFiles, first.shipmentBytes);
    }

    private static StagingSpace begin(Store store, Path folder, long bytes) throws IOException
    {
        StagingSpace space = StagingSpace.reserve(store, bytes);
        try
        {
            Files.createDirectories(folder);
            return space;
        }
        catch (Throwable t)
        {
            space.release();
            throw t;
        }
    }

    /** @return the table that a folder's shipment is for; empty if it is no shipment's folder */
    static Optional<TableId> tableOf(Path folder)
    {
        Matcher name = FOLDER.matcher(folder.getFileName().toString());
        return name.matches() ? Optional.of(TableId.fromString(name.group(1))) : Optional.empty();
    }

    /** @return where a file goes when it is verified; fails if the session is over */
    synchronized Path place(StreamHeader header) throws IOException
    {
        ensureOpen();
        if (header.shipmentFiles != first.shipmentFiles || header.shipmentBytes != first.shipmentBytes)
            throw new IOException(header + " contradicts the files before it about the shipment");
        return folder.resolve(header.name);
    }

    /** A file was received and its checksum is right. */
    synchronized void add(IncomingFile file) throws IOException
    {
        ensureOpen();
        if (verified.putIfAbsent(file.header().name, file) != null)
            throw new IOException(file.header() + " was received twice");
        if (!file.header().retained)
            space.used(file.header().bytes);
        record.add(file.header(), "", file.wasCopied());
    }

    private void ensureOpen() throws IOException
    {
        if (over)
            throw new IOException("the session of " + folder.getFileName() + " is over");
    }

    /** Takes the files into the table; when it returns they are durable and can be read. */
    synchronized void receive(Table into) throws IOException
    {
        ensureOpen();
        if (verified.size() != first.shipmentFiles)
            throw new IOException(String.format("only %d of %d files of %s were received", verified.size(), first.shipmentFiles,
                                                folder.getFileName()));
        for (IncomingFile file : verified.values())
            file.awaitSync();
        SyncedFolder.sync(folder);
        record.rewritten(into.receive(folder.toString()));
        end(StreamRecord.State.DONE);
    }

    /**
     * The session has failed: verified whole files are retained for the next try, the others deleted. Does nothing
     * after success.
     *
     * @param mayComeAgain false deletes all of them
     */
    synchronized void discard(boolean mayComeAgain)
    {
        if (over)
            return;
        for (IncomingFile file : verified.values())
            if (mayComeAgain && file.header().kind == ShipmentFile.Kind.WHOLE)
                RetainedFiles.retain(store, table, folder.resolve(file.header().name), file.header().bytes);
        RetainedFiles.publish();
        end(StreamRecord.State.FAILED);
        ScratchFolder.delete(folder);
    }

    private void end(StreamRecord.State how)
    {
        over = true;
        space.release();
        record.end(how);
    }

    /** @return the token ranges of its rows */
    synchronized List<Range<Token>> ranges()
    {
        List<Range<Token>> ranges = new ArrayList<>();
        verified.values().forEach(file -> ranges.addAll(file.header().ranges));
        return ranges;
    }

    /** @return the same with both ends included */
    synchronized List<Bounds<Token>> bounds()
    {
        List<Bounds<Token>> bounds = new ArrayList<>();
        for (IncomingFile file : verified.values())
            for (Range<Token> range : file.header().ranges)
                bounds.add(new Bounds<>(range.left, range.right.isMinimum() ? LAST : range.right));
        return bounds;
    }
}
