/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.io.IOException;

import org.apache.cassandra.locator.InetAddressAndPort;
import org.apache.cassandra.net.MessagingService;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.streaming.PreviewKind;
import org.apache.cassandra.streaming.ProgressInfo;
import org.apache.cassandra.streaming.StreamOperation;
import org.apache.cassandra.streaming.StreamReceiver;
import org.apache.cassandra.streaming.StreamSession;
import org.apache.cassandra.utils.TimeUUID;

/** A session that receives, without a plan or a connection. */
final class TestSession extends StreamSession
{
    private final TimeUUID plan = TimeUUID.Generator.nextTimeUUID();

    /** Of the table that is sent. */
    StreamReceiver receiver;

    TestSession() throws IOException
    {
        super(StreamOperation.REBUILD, InetAddressAndPort.getByName("127.0.0.9"), null, null, MessagingService.current_version, true, 0,
              null, PreviewKind.NONE);
    }

    @Override
    public TimeUUID planId()
    {
        return plan;
    }

    @Override
    public StreamOperation streamOperation()
    {
        return StreamOperation.REBUILD;
    }

    @Override
    public StreamReceiver getAggregator(TableId table)
    {
        return receiver;
    }

    @Override
    public void countStreamedIn(boolean isEntire)
    {
    }

    @Override
    public void progress(String file, ProgressInfo.Direction direction, long bytes, long delta, long total)
    {
    }
}
