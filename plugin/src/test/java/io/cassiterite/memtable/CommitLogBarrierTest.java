/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Which sync of the commit log covers which caller (danger D9). */
class CommitLogBarrierTest
{
    private final AtomicLong records = new AtomicLong();
    /** What the syncs do, one after another; nothing once it is empty. */
    private final Queue<Runnable> steps = new ArrayDeque<>();
    private final List<String> syncs = new ArrayList<>();
    private final CommitLogBarrier barrier = new CommitLogBarrier(records::get, this::sync);

    @BeforeAll
    static void cassandraAsALibrary()
    {
        TestNode.initialize();
    }

    private void sync()
    {
        Runnable step = steps.poll();
        syncs.add("begun");
        if (step != null)
            step.run();
        syncs.set(syncs.size() - 1, "succeeded");
    }

    private static void fail()
    {
        throw new IllegalStateException("a test's");
    }

    @Test
    void withoutANewRecordNothingIsSynced()
    {
        barrier.awaitPaxosAndBatches();
        assertEquals(List.of(), syncs);
        records.incrementAndGet();
        barrier.awaitPaxosAndBatches();
        barrier.awaitPaxosAndBatches();
        assertEquals(List.of("succeeded"), syncs);
    }

    @Test
    void aRecordThatIsWrittenDuringASyncNeedsAnother()
    {
        records.incrementAndGet();
        steps.add(records::incrementAndGet);
        barrier.awaitPaxosAndBatches();
        barrier.awaitPaxosAndBatches();
        barrier.awaitPaxosAndBatches();
        assertEquals(List.of("succeeded", "succeeded"), syncs);
    }

    @Test
    void aFailureReachesTheCallerAndLeavesTheRecordToTheNext()
    {
        records.incrementAndGet();
        steps.add(CommitLogBarrierTest::fail);
        assertThrows(IllegalStateException.class, barrier::awaitPaxosAndBatches);
        barrier.awaitPaxosAndBatches();
        assertEquals(List.of("begun", "succeeded"), syncs);
    }

    /** Its record may have been written after the sync had read the commit log's end. */
    @Test
    void aCallerDuringAFailingSyncSyncsAgain()
    {
        records.incrementAndGet();
        Caller second = new Caller();
        steps.add(() -> {
            second.begin();
            fail();
        });
        assertThrows(IllegalStateException.class, barrier::awaitPaxosAndBatches);
        second.end();
        assertEquals(List.of("begun", "succeeded"), syncs);
    }

    @Test
    void callersDuringASyncShareTheNext()
    {
        records.incrementAndGet();
        List<Caller> others = List.of(new Caller(), new Caller(), new Caller());
        steps.add(() -> others.forEach(Caller::begin));
        barrier.awaitAll();
        others.forEach(Caller::end);
        assertEquals(List.of("succeeded", "succeeded"), syncs);
    }

    @Test
    void aSharedSyncThatFailsIsRepeatedByTheOthers()
    {
        records.incrementAndGet();
        List<Caller> others = List.of(new Caller(), new Caller(), new Caller());
        steps.add(() -> others.forEach(Caller::begin));
        steps.add(CommitLogBarrierTest::fail);
        barrier.awaitAll();
        long failed = others.stream().filter(caller -> !caller.isCovered()).count();
        assertEquals(1, failed, "the one whose sync it was");
        assertEquals(List.of("succeeded", "begun", "succeeded"), syncs);
    }

    /** Another thread that calls the barrier, and has to wait while a sync runs. */
    private final class Caller
    {
        private final CompletableFuture<Void> covered = new CompletableFuture<>();
        private final Thread thread = new Thread(this::ask);

        private void ask()
        {
            try
            {
                barrier.awaitAll();
                covered.complete(null);
            }
            catch (Throwable t)
            {
                covered.completeExceptionally(t);
            }
        }

        /** Returns when it waits for the sync that runs. */
        void begin()
        {
            thread.start();
            while (thread.getState() != Thread.State.BLOCKED)
            {
                assertTrue(thread.isAlive(), "it must wait");
                Thread.onSpinWait();
            }
        }

        void end()
        {
            covered.join();
        }

        boolean isCovered()
        {
            try
            {
                covered.join();
                return true;
            }
            catch (CompletionException e)
            {
                assertInstanceOf(IllegalStateException.class, e.getCause());
                return false;
            }
        }
    }
}
