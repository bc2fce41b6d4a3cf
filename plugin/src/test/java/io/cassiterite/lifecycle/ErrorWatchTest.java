/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.lifecycle;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import org.apache.cassandra.io.FSWriteError;
import org.apache.cassandra.io.sstable.CorruptSSTableException;

import io.cassiterite.node.FakeEngine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

class ErrorWatchTest
{
    private final FakeEngine engine = new FakeEngine();
    private final List<Throwable> reported = new ArrayList<>();
    private long freeBytes;
    private final ErrorWatch watch = new ErrorWatch(engine.control(), () -> freeBytes, reported::add);

    @Test
    void healthyEngineIsLeftAlone()
    {
        watch.check();
        assertEquals(List.of(), reported);
        assertEquals(0, engine.calls("resume"));
    }

    @Test
    void errorIsReportedOnce()
    {
        engine.answers.put("backgroundError", "IO\tflush failed");
        watch.check();
        watch.check();
        assertEquals(1, reported.size());
        assertInstanceOf(FSWriteError.class, reported.get(0));
        assertEquals("/store", ((FSWriteError) reported.get(0)).path);
        assertEquals(0, engine.calls("resume"));
    }

    @Test
    void corruptionIsReportedAsSuch()
    {
        engine.answers.put("backgroundError", "CORRUPTION\tblock checksum mismatch");
        watch.check();
        assertInstanceOf(CorruptSSTableException.class, reported.get(0));
    }

    @Test
    void errorAfterRecoveryIsReportedAgain()
    {
        engine.answers.put("backgroundError", "IO\tflush failed");
        watch.check();
        engine.answers.put("backgroundError", null);
        watch.check();
        engine.answers.put("backgroundError", "IO\tflush failed");
        watch.check();
        assertEquals(2, reported.size());
    }

    @Test
    void fullDiskResumesWhenThereIsSpace()
    {
        engine.answers.put("backgroundError", "NO_SPACE\tno space left on device");
        watch.check();
        watch.check();
        assertEquals(0, engine.calls("resume"));
        freeBytes = ErrorWatch.MIN_FREE_BYTES;
        watch.check();
        assertEquals(1, engine.calls("resume"));
        assertEquals(1, reported.size());
    }

    @Test
    void failedResumeIsTriedAgain()
    {
        engine.answers.put("backgroundError", "NO_SPACE\tno space left on device");
        engine.resumeFailure = new IllegalStateException("still full");
        freeBytes = ErrorWatch.MIN_FREE_BYTES;
        watch.check();
        watch.check();
        watch.check();
        assertEquals(2, engine.calls("resume"));
        assertEquals(1, reported.size());
    }
}
