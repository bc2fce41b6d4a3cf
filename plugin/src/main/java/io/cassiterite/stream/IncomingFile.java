/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.io.util.DataInputPlus;
import org.apache.cassandra.net.AsyncStreamingInputPlus;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.streaming.IncomingStream;
import org.apache.cassandra.streaming.ProgressInfo;
import org.apache.cassandra.streaming.StreamSession;
import org.apache.cassandra.streaming.messages.StreamMessageHeader;

import io.cassiterite.engine.ShipmentFile;

/**
 * One file of a shipment while it is received: it is written to the shipment's folder, and its checksum computed. It
 * gets its name once the checksum is right, so that a restarted process knows which files are verified.
 */
final class IncomingFile implements IncomingStream
{
    private static final Logger logger = LoggerFactory.getLogger(IncomingFile.class);

    private static final int PROGRESS_BYTES = 1 << 20;
    private static final int COPY_BYTES = 64 << 10;
    private static final String PARTIAL = ".partial";

    private final ColumnFamilyStore cfs;
    private final StreamSession session;
    private final StreamMessageHeader message;

    private volatile StreamHeader header;
    private volatile Path path;
    private volatile IncomingShipment shipment;
    private volatile Future<?> sync;

    IncomingFile(ColumnFamilyStore cfs, StreamSession session, StreamMessageHeader message)
    {
        this.cfs = cfs;
        this.session = session;
        this.message = message;
    }

    @Override
    public void read(DataInputPlus in, int version) throws IOException
    {
        header = StreamHeader.read(in);
        TokenOwnership.check(cfs, session, header);
        shipment = EngineStreamReceiver.of(session, cfs).shipment(header);
        path = shipment.place(header);
        session.countStreamedIn(header.kind == ShipmentFile.Kind.WHOLE);
        Path partial = path.resolveSibling(header.name + PARTIAL);
        int found = header.retained ? takeRetained(partial) : write(in, partial);
        int expected = Integer.reverseBytes(in.readInt());
        if (found != expected)
            throw damaged(expected, found);
        Files.move(partial, path, StandardCopyOption.ATOMIC_MOVE);
        sync = StagingSync.submit(path);
        logger.debug("[Stream #{}] Received {} (#{})", session.planId(), header, message.sequenceNumber);
    }

    /** @return the checksum of what is on the device */
    private int takeRetained(Path partial) throws IOException
    {
        RetainedFiles.take(cfs.metadata.id, header, partial);
        int found = FileChecksum.of(partial, header.bytes);
        session.progress(path.toString(), ProgressInfo.Direction.IN, header.movingBytes(), header.movingBytes(), header.movingBytes());
        return found;
    }

    /** @return the checksum of the bytes written */
    private int write(DataInputPlus in, Path partial) throws IOException
    {
        Progress progress = new Progress();
        try (StagedFile file = StagedFile.create(partial, header.bytes))
        {
            if (in instanceof AsyncStreamingInputPlus)
                receive((AsyncStreamingInputPlus) in, file, progress);
            else
                copy(in, file, progress);
            file.finish();
            progress.report();
            return file.checksum();
        }
    }

    private void receive(AsyncStreamingInputPlus in, StagedFile file, Progress progress) throws IOException
    {
        if (file.isDirect())
            receiveRaw(in, file, progress);
        in.consume(buffer -> append(file, buffer, progress), header.bytes - progress.bytes);
    }

    /** Reads all of the file if the connection can be taken from Netty, nothing if it cannot. */
    private void receiveRaw(AsyncStreamingInputPlus in, StagedFile file, Progress progress) throws IOException
    {
        try (RawSocket connection = RawSocket.take(in))
        {
            if (connection == null)
                return;
            in.consume(buffer -> append(file, buffer, progress), Math.min(header.bytes, in.unsafeAvailable()));
            while (progress.bytes < header.bytes)
                progress.add(connection.receive(file, header.bytes - progress.bytes));
        }
    }

    private static int append(StagedFile file, ByteBuffer buffer, Progress progress) throws IOException
    {
        int bytes = buffer.remaining();
        file.append(buffer);
        progress.add(bytes);
        return bytes;
    }

    private void copy(DataInputPlus in, StagedFile file, Progress progress) throws IOException
    {
        byte[] buffer = new byte[COPY_BYTES];
        while (progress.bytes < header.bytes)
        {
            int bytes = (int) Math.min(buffer.length, header.bytes - progress.bytes);
            in.readFully(buffer, 0, bytes);
            append(file, ByteBuffer.wrap(buffer, 0, bytes), progress);
        }
    }

    private IOException damaged(int expected, int found)
    {
        String message = String.format("%s of %s was damaged on its way from %s, or on the disk there: its checksum is %08x instead of " +
                                       "%08x. It is refused, and nothing of the session is taken into the table",
                                       header.name, cfs.metadata(), session.peer, found, expected);
        logger.error("[Stream #{}] {}", session.planId(), message);
        return new IOException(message);
    }

    /** Hands the file to its shipment. */
    void received() throws IOException
    {
        shipment.add(this);
    }

    /** Returns when the file is on the device. */
    void awaitSync() throws IOException
    {
        try
        {
            sync.get();
        }
        catch (ExecutionException e)
        {
            throw new IOException("syncing " + path, e.getCause());
        }
        catch (InterruptedException e)
        {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while syncing " + path, e);
        }
    }

    /** True if the bytes were decrypted in this process's memory. */
    boolean wasCopied()
    {
        return PeerConnection.isEncrypted(session.peer);
    }

    StreamHeader header()
    {
        return header;
    }

    @Override
    public String getName()
    {
        return String.valueOf(path);
    }

    @Override
    public long getSize()
    {
        return header.movingBytes();
    }

    @Override
    public int getNumFiles()
    {
        return 1;
    }

    @Override
    public TableId getTableId()
    {
        return cfs.metadata.id;
    }

    @Override
    public StreamSession session()
    {
        return session;
    }

    @Override
    public String toString()
    {
        return "IncomingFile{" + header + '}';
    }

    /** Reports each mebibyte to the session. */
    private final class Progress
    {
        private long bytes;
        private long reported;

        void add(int more)
        {
            bytes += more;
            if (bytes - reported >= PROGRESS_BYTES && bytes < header.bytes)
                report();
        }

        void report()
        {
            session.progress(path.toString(), ProgressInfo.Direction.IN, bytes, bytes - reported, header.bytes);
            reported = bytes;
        }
    }
}
