/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.io.IOException;
import java.lang.ref.Cleaner;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import org.apache.cassandra.locator.InetAddressAndPort;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.streaming.OutgoingStream;
import org.apache.cassandra.streaming.ProgressInfo;
import org.apache.cassandra.streaming.StreamManager;
import org.apache.cassandra.streaming.StreamSession;
import org.apache.cassandra.streaming.StreamingDataOutputPlus;
import org.apache.cassandra.utils.TimeUUID;

import io.cassiterite.engine.ShipmentFile;

/** One file of a shipment, sent by sendfile unless the connection is encrypted. */
final class OutgoingFile implements OutgoingStream
{
    private final TableId table;
    private final StreamHeader header;
    private final ShipmentFile file;
    private final ScratchFolder folder;
    private final StreamRecord record;
    private final Cleaner.Cleanable end;

    /**
     * @param folder of the file
     * @param end    of the stream, see {@link StreamEnd}
     */
    OutgoingFile(TableId table, StreamHeader header, ShipmentFile file, ScratchFolder folder, StreamRecord record, Cleaner.Cleanable end)
    {
        this.table = table;
        this.header = header;
        this.file = file;
        this.folder = folder;
        this.record = record;
        this.end = end;
    }

    @Override
    public void write(StreamSession session, StreamingDataOutputPlus out, int version) throws IOException
    {
        Path path = OutgoingShipment.file(folder, header);
        header.write(out);
        out.flush();
        if (!header.retained)
            send(path, out, session.peer);
        out.writeInt(Integer.reverseBytes(checksum(path)));
        out.flush();
        session.progress(getName(), ProgressInfo.Direction.OUT, header.movingBytes(), header.movingBytes(), header.movingBytes());
        record.add(header, file.reason(), PeerConnection.isEncrypted(session.peer));
    }

    /**
     * The checksum from when the file was written, by which the receiver notices what the disk has damaged since; else
     * of what is sent.
     */
    private int checksum(Path path) throws IOException
    {
        return file.checksum().isPresent() ? file.checksum().getAsInt() : FileChecksum.of(path, header.bytes);
    }

    private void send(Path path, StreamingDataOutputPlus out, InetAddressAndPort peer) throws IOException
    {
        FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
        long size = channel.size();
        if (size != header.bytes)
        {
            channel.close();
            throw new IOException(path + " has " + size + " bytes instead of " + header.bytes);
        }
        out.writeFileToChannel(channel, limiter(peer));
    }

    /** Whole files have the limits of Cassandra's entire-sstable streams, others those of its ordinary streams. */
    private StreamingDataOutputPlus.RateLimiter limiter(InetAddressAndPort peer)
    {
        return header.kind == ShipmentFile.Kind.WHOLE ? StreamManager.getEntireSSTableRateLimiter(peer)
                                                    : StreamManager.getRateLimiter(peer);
    }

    @Override
    public void finish()
    {
        end.clean();
    }

    @Override
    public long getRepairedAt()
    {
        return StreamHeader.MARKER;
    }

    @Override
    public TimeUUID getPendingRepair()
    {
        return null;
    }

    @Override
    public String getName()
    {
        return OutgoingShipment.file(folder, header).toString();
    }

    @Override
    public long getEstimatedSize()
    {
        return header.movingBytes();
    }

    @Override
    public TableId getTableId()
    {
        return table;
    }

    @Override
    public int getNumFiles()
    {
        return 1;
    }

    @Override
    public String toString()
    {
        return "OutgoingFile{" + header + '}';
    }
}
