/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.util.List;

import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.service.ActiveRepairService;
import org.apache.cassandra.streaming.OutgoingStream;
import org.apache.cassandra.streaming.StreamSession;
import org.apache.cassandra.streaming.StreamingDataOutputPlus;
import org.apache.cassandra.utils.TimeUUID;

import io.cassiterite.engine.RangeSize;

/** The size of what a repair would send; a preview never sends it. */
final class PreviewStream implements OutgoingStream
{
    private final TableId table;
    private final long bytes;

    private PreviewStream(TableId table, long bytes)
    {
        this.table = table;
        this.bytes = bytes;
    }

    /** @return one stream, or none if the ranges are empty */
    static List<OutgoingStream> of(TableId table, List<RangeSize> sizes)
    {
        long bytes = sizes.stream().mapToLong(RangeSize::bytes).sum();
        return bytes == 0 ? List.of() : List.of(new PreviewStream(table, bytes));
    }

    @Override
    public void write(StreamSession session, StreamingDataOutputPlus output, int version)
    {
        throw new IllegalStateException("a preview sends nothing");
    }

    @Override
    public void finish()
    {
    }

    @Override
    public long getRepairedAt()
    {
        return ActiveRepairService.UNREPAIRED_SSTABLE;
    }

    @Override
    public TimeUUID getPendingRepair()
    {
        return ActiveRepairService.NO_PENDING_REPAIR;
    }

    @Override
    public String getName()
    {
        return "preview of " + table;
    }

    @Override
    public long getEstimatedSize()
    {
        return bytes;
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
}
