/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.engine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

class LowPriorityTest
{
    /** Fields of stat(5) after the name, which may contain spaces. */
    private static final int NICENESS = 16;

    @Test
    void itsThreadHasItAlone()
    {
        long before = niceness();
        assertEquals(Math.max(before, 10), LowPriority.call(LowPriorityTest::niceness));
        assertEquals(before, niceness());
    }

    @Test
    void whatTheWorkThrowsIsThrown()
    {
        EngineException closed = new EngineException(EngineException.Kind.CLOSED, "closed");
        assertSame(closed, assertThrows(EngineException.class, () -> LowPriority.run(() -> {
            throw closed;
        })));
        AssertionError wrong = new AssertionError("wrong");
        assertSame(wrong, assertThrows(AssertionError.class, () -> LowPriority.run(() -> {
            throw wrong;
        })));
    }

    @Test
    void noneIsRaised()
    {
        assertThrows(EngineException.class, () -> Native.threadLower(-1));
        assertThrows(EngineException.class, () -> Native.threadLower(20));
    }

    private static long niceness()
    {
        try
        {
            String stat = Files.readString(Path.of("/proc/thread-self/stat"));
            return Long.parseLong(stat.substring(stat.lastIndexOf(')') + 2).split(" ")[NICENESS]);
        }
        catch (IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }
}
