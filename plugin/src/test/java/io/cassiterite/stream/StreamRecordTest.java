/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.io.IOException;
import java.util.List;
import java.util.UUID;

import org.junit.jupiter.api.Test;

import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.schema.TableMetadata;

import io.cassiterite.engine.EngineTestAccess;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** What is sent is at the receiver when that says so. */
class StreamRecordTest
{
    private static final int FILES = 3;

    private final TestSession session;
    private final StreamRecord record;

    StreamRecordTest() throws IOException
    {
        TableMetadata metadata = TableMetadata.builder("ks", "t").partitioner(Murmur3Partitioner.instance)
                                              .addPartitionKeyColumn("p", Int32Type.instance).build();
        session = new TestSession();
        record = new StreamRecord(session, metadata, StreamRecord.Direction.OUT, UUID.randomUUID());
        record.expect(FILES, 27);
        StreamHeader header = new StreamHeader(EngineTestAccess.shipmentFile("cassiterite.manifest\tmanifest\t9\t0\t0\t\t"), false,
                                               UUID.randomUUID(), FILES, 27, List.of());
        for (int file = 0; file < FILES; file++)
            record.add(header, "", false);
    }

    private String state()
    {
        return record.line().split("\t")[List.of(StreamRecord.header().split("\t")).indexOf("state_text")];
    }

    /** As a session does that hears from its peer. */
    private void acknowledged()
    {
        synchronized (session)
        {
            record.ended();
        }
    }

    @Test
    void allThatIsAcknowledgedIsDone()
    {
        for (int file = 0; file < FILES; file++)
        {
            assertEquals("OPEN", state());
            acknowledged();
        }
        assertEquals("DONE", state());
    }

    /** Cassandra ends a stream that has timed out, and then its session. */
    @Test
    void whatIsSentAndNotHeardOfHasFailed()
    {
        record.ended();
        record.ended();
        acknowledged();
        assertEquals("FAILED", state());
    }
}
