/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.io.IOException;
import java.lang.ref.Cleaner;

import org.apache.cassandra.db.streaming.CassandraOutgoingFile;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.streaming.OutgoingStream;
import org.apache.cassandra.streaming.StreamSession;
import org.apache.cassandra.streaming.StreamingDataOutputPlus;
import org.apache.cassandra.utils.TimeUUID;

/** An sstable that was written to be sent, and is deleted after that. */
final class OutgoingSstable implements OutgoingStream
{
    private final CassandraOutgoingFile stream;
    private final Cleaner.Cleanable end;

    /** @param end of the stream, see {@link StreamEnd} */
    OutgoingSstable(CassandraOutgoingFile stream, Cleaner.Cleanable end)
    {
        this.stream = stream;
        this.end = end;
    }

    @Override
    public void write(StreamSession session, StreamingDataOutputPlus output, int version) throws IOException
    {
        stream.write(session, output, version);
    }

    @Override
    public void finish()
    {
        end.clean();
    }

    @Override
    public long getRepairedAt()
    {
        return stream.getRepairedAt();
    }

    @Override
    public TimeUUID getPendingRepair()
    {
        return stream.getPendingRepair();
    }

    @Override
    public String getName()
    {
        return stream.getName();
    }

    @Override
    public long getEstimatedSize()
    {
        return stream.getEstimatedSize();
    }

    @Override
    public TableId getTableId()
    {
        return stream.getTableId();
    }

    @Override
    public int getNumFiles()
    {
        return stream.getNumFiles();
    }

    @Override
    public String toString()
    {
        return stream.toString();
    }
}
