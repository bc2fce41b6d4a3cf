/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import org.apache.cassandra.locator.InetAddressAndPort;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.streaming.PreviewKind;
import org.apache.cassandra.streaming.SessionInfo;
import org.apache.cassandra.streaming.StreamManager;
import org.apache.cassandra.streaming.StreamOperation;
import org.apache.cassandra.streaming.StreamResultFuture;
import org.apache.cassandra.streaming.StreamSession;
import org.apache.cassandra.utils.TimeUUID;

import io.cassiterite.OwnJvm;
import io.cassiterite.engine.Store;
import io.cassiterite.memtable.TestMemtable;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** No space is reserved twice, however many senders begin at once, nor taken from a session that has begun. */
@OwnJvm
class StagingSpaceTest
{
    private static final int ROUNDS = 3000;
    private static final byte[] BYTES = new byte[1000];
    private static final long TOO_MANY = Long.MAX_VALUE / 2;

    @Test
    void spaceIsReservedOnlyOnce() throws Exception
    {
        try (Store store = TestMemtable.openStore("space"))
        {
            CyclicBarrier together = new CyclicBarrier(2);
            ExecutorService other = Executors.newSingleThreadExecutor();
            try
            {
                for (int round = 0; round < ROUNDS; round++)
                {
                    long most = StagingSpace.freeBytes(store) * 6 / 10; // others write to the device, too
                    Future<StagingSpace> hers = other.submit(() -> reserved(store, most, together));
                    StagingSpace mine = reserved(store, most, together);
                    assertEquals(1, Stream.of(hers.get(), mine).filter(Objects::nonNull).peek(StagingSpace::release).count());
                }
            }
            finally
            {
                other.shutdownNow();
            }
        }
    }

    @Test
    void whatWasReceivedIsNotCountedTwice() throws IOException
    {
        try (Store store = TestMemtable.openStore("received"))
        {
            long most = StagingSpace.freeBytes(store) * 6 / 10;
            StagingSpace space = StagingSpace.reserve(store, most);
            assertThrows(IOException.class, () -> StagingSpace.reserve(store, most));
            space.used(most);
            space.used(most); // more than was reserved does not release what others have reserved
            StagingSpace next = assertDoesNotThrow(() -> StagingSpace.reserve(store, most));
            space.release();
            assertThrows(IOException.class, () -> StagingSpace.reserve(store, most));
            next.release();
        }
    }

    @Test
    void filesThatABegunSessionReliesOnAreNotDeleted() throws IOException
    {
        try (Store store = TestMemtable.openStore("counted-on"))
        {
            TableId table = TableId.generate();
            TableId other = TableId.generate();
            RetainedFiles.retain(store, table, written(store, "S-000001.sst"), BYTES.length);
            RetainedFiles.retain(store, other, written(store, "S-000002.sst"), BYTES.length);
            MergeInTask.instance.receiving(table);
            String refusal = assertThrows(IOException.class, () -> StagingSpace.reserve(store, TOO_MANY)).getMessage();
            assertTrue(refusal.startsWith("No space for a stream of "), refusal);
            assertEquals(BYTES.length, RetainedFiles.bytes(), "no session relies on the other one");

            MergeInTask.instance.received(table);
            assertThrows(IOException.class, () -> StagingSpace.reserve(store, TOO_MANY));
            assertEquals(0, RetainedFiles.bytes());
        }
    }

    @Test
    void filesThatASessionBeingPreparedMayRelyOnAreNotDeleted() throws IOException
    {
        try (Store store = TestMemtable.openStore("prepared"))
        {
            RetainedFiles.retain(store, TableId.generate(), written(store, "S-000001.sst"), BYTES.length);
            TimeUUID id = TimeUUID.Generator.nextTimeUUID();
            StreamResultFuture plan = new StreamResultFuture(id, StreamOperation.BOOTSTRAP, null, PreviewKind.NONE);
            StreamManager.instance.registerFollower(plan);
            plan.getCoordinator().addSessionInfo(session(StreamSession.State.INITIALIZED));
            assertThrows(IOException.class, () -> StagingSpace.reserve(store, TOO_MANY));
            assertEquals(BYTES.length, RetainedFiles.bytes());

            plan.getCoordinator().addSessionInfo(session(StreamSession.State.PREPARING));
            assertThrows(IOException.class, () -> StagingSpace.reserve(store, TOO_MANY));
            assertEquals(0, RetainedFiles.bytes());
        }
    }

    private static SessionInfo session(StreamSession.State state) throws IOException
    {
        InetAddressAndPort peer = InetAddressAndPort.getByName("127.0.0.9");
        return new SessionInfo(peer, 0, peer, List.of(), List.of(), state, null);
    }

    private static Path written(Store store, String name) throws IOException
    {
        return Files.write(Path.of(store.directory(), name), BYTES);
    }

    private static StagingSpace reserved(Store store, long bytes, CyclicBarrier together) throws Exception
    {
        together.await();
        try
        {
            return StagingSpace.reserve(store, bytes);
        }
        catch (IOException full)
        {
            return null;
        }
    }
}
