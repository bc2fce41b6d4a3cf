/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.io.FSWriteError;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.schema.TableMetadata;

import io.cassiterite.OwnJvm;
import io.cassiterite.engine.EngineException;
import io.cassiterite.engine.EngineException.Kind;
import io.cassiterite.engine.Failures;
import io.cassiterite.engine.RecordedDiskPolicy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** About which failures of merge-ins the disk failure policy decides; which tables are merged in. */
@OwnJvm
class MergeInTaskTest
{
    @RegisterExtension
    final RecordedDiskPolicy policy = new RecordedDiskPolicy();

    private static FSWriteError failure(Kind kind)
    {
        return assertThrows(FSWriteError.class, () -> Failures.onWrite(new EngineException(kind, "a test's"), "/store"));
    }

    private static void fail(FSWriteError failure)
    {
        TableMetadata metadata = TableMetadata.builder("ks", "received", TableId.generate())
                                              .partitioner(Murmur3Partitioner.instance)
                                              .addPartitionKeyColumn("p", Int32Type.instance)
                                              .build();
        MergeInTask.instance.failed(metadata, failure);
    }

    @Test
    void aFullDeviceIsWaitedFor()
    {
        fail(failure(Kind.NO_SPACE));
        assertEquals(List.of(), policy.asked());
    }

    @Test
    void aBrokenDeviceIsNot()
    {
        FSWriteError failure = failure(Kind.IO);
        fail(failure);
        assertEquals(List.of(failure), policy.asked());
    }

    /** Otherwise nothing would be merged in, or purged, until the next start of the node. */
    @Test
    void theThreadSurvivesAFailedStep()
    {
        FSWriteError failure = failure(Kind.IO);
        AtomicInteger calls = new AtomicInteger();
        AtomicReference<MergeInTask> task = new AtomicReference<>();
        task.set(new MergeInTask(() -> {
            LockSupport.unpark(Thread.currentThread());
            switch (calls.incrementAndGet())
            {
                case 1:
                    throw new IllegalStateException("a test's");
                case 2:
                    throw failure;
                default:
                    task.get().stop();
                    return List.of();
            }
        }));
        task.get().run();
        assertEquals(3, calls.get());
        assertEquals(List.of(failure), policy.asked());
    }

    @Test
    void aTableIsSkippedOnceItIsMergedInAndWhileItReceives()
    {
        TableId table = TableId.generate();
        MergeInTask.instance.setMergedIn(table, MergeInTask.instance.wanted(table).orElseThrow());
        assertEquals(OptionalLong.empty(), MergeInTask.instance.wanted(table));
        MergeInTask.instance.receiving(table);
        assertEquals(OptionalLong.empty(), MergeInTask.instance.wanted(table));
        MergeInTask.instance.received(table);
        assertTrue(MergeInTask.instance.wanted(table).isPresent());
    }

    /** The session may have sent it after the step began. */
    @Test
    void whatIsReceivedDuringAStepNeedsAnother()
    {
        TableId table = TableId.generate();
        long seen = MergeInTask.instance.wanted(table).orElseThrow();
        MergeInTask.instance.receiving(table);
        MergeInTask.instance.received(table);
        MergeInTask.instance.setMergedIn(table, seen);
        assertTrue(MergeInTask.instance.wanted(table).isPresent());
    }

    @Test
    void aSessionThatIsStillOpenIsWaitedForToo()
    {
        TableId table = TableId.generate();
        long seen = MergeInTask.instance.wanted(table).orElseThrow();
        MergeInTask.instance.receiving(table);
        MergeInTask.instance.setMergedIn(table, seen);
        MergeInTask.instance.received(table);
        assertTrue(MergeInTask.instance.wanted(table).isPresent());
    }
}
