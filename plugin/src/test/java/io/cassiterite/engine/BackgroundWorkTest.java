/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.engine;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.apache.cassandra.io.FSError;
import org.apache.cassandra.io.FSErrorHandler;
import org.apache.cassandra.io.FSWriteError;
import org.apache.cassandra.io.sstable.CorruptSSTableException;
import org.apache.cassandra.io.util.FileUtils;

import io.cassiterite.memtable.TestMemtable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A background thread survives what its steps throw. */
class BackgroundWorkTest
{
    private final List<Throwable> asked = new ArrayList<>();

    @BeforeEach
    void watchPolicy()
    {
        TestMemtable.initialize();
        FileUtils.setFSErrorHandler(new FSErrorHandler()
        {
            @Override
            public void handleCorruptSSTable(CorruptSSTableException e)
            {
                asked.add(e);
            }

            @Override
            public void handleFSError(FSError e)
            {
                asked.add(e);
                throw new IllegalStateException("a test's policy");
            }
        });
    }

    @AfterEach
    void forgetPolicy()
    {
        FileUtils.setFSErrorHandler(null);
    }

    @Test
    void noFailureIsThrownOn()
    {
        for (Throwable failure : List.of(new IllegalStateException("a test's"), new AssertionError("a test's")))
            assertFalse(BackgroundWork.attempt("A test", () -> {
                throw BackgroundWorkTest.<RuntimeException>unchecked(failure);
            }));
        assertTrue(BackgroundWork.attempt("A test", () -> {}));
    }

    @Test
    void theDiskFailurePolicyIsAsked()
    {
        FSWriteError failure = new FSWriteError(new IllegalStateException("a test's"), "/store");
        assertFalse(BackgroundWork.attempt("A test", () -> {
            throw failure;
        }));
        assertEquals(List.of(failure), asked);
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> T unchecked(Throwable failure) throws T
    {
        throw (T) failure;
    }
}
