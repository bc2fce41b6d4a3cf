/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import io.cassiterite.engine.Store;
import io.cassiterite.memtable.TestMemtable;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

/** No room is promised twice, however many senders begin at once. */
class StagingSpaceTest
{
    private static final int ROUNDS = 3000;

    @Test
    void roomIsPromisedOnceOnly() throws Exception
    {
        try (Store store = TestMemtable.openStore("room"))
        {
            CyclicBarrier together = new CyclicBarrier(2);
            long most = StagingSpace.freeBytes(store) * 6 / 10;
            ExecutorService other = Executors.newSingleThreadExecutor();
            try
            {
                for (int round = 0; round < ROUNDS; round++)
                {
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
    void whatHasArrivedIsNotCountedTwice() throws IOException
    {
        try (Store store = TestMemtable.openStore("arrived"))
        {
            long most = StagingSpace.freeBytes(store) * 6 / 10;
            StagingSpace space = StagingSpace.reserve(store, most);
            assertThrows(IOException.class, () -> StagingSpace.reserve(store, most));
            space.used(most);
            space.used(most); // more than was promised gives nothing back that is others'
            StagingSpace next = assertDoesNotThrow(() -> StagingSpace.reserve(store, most));
            space.release();
            assertThrows(IOException.class, () -> StagingSpace.reserve(store, most));
            next.release();
        }
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
