/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.engine;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.apache.cassandra.io.FSWriteError;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A background thread survives what its steps throw. */
class BackgroundWorkTest
{
    @RegisterExtension
    final RecordedDiskPolicy policy = new RecordedDiskPolicy();

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
        assertEquals(List.of(failure), policy.asked());
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> T unchecked(Throwable failure) throws T
    {
        throw (T) failure;
    }
}
