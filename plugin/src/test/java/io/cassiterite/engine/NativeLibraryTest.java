/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.engine;

import java.nio.file.Path;

import org.junit.jupiter.api.Test;

import io.cassiterite.engine.EngineException.Kind;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class NativeLibraryTest
{
    private static final Path LIBRARY = Path.of("/somewhere/libcassiterite.so");

    @Test
    void theJarsLibraryLoadsAndHasItsVersion()
    {
        NativeLibrary.load();
        assertTrue(Native.version().startsWith("cassiterite/" + NativeLibrary.VERSION + " rocksdb/"), Native.version());
    }

    @Test
    void otherPlatformsAreRefused()
    {
        assertDoesNotThrow(() -> NativeLibrary.requirePlatform("Linux", "amd64"));
        assertEquals(Kind.INVALID, assertThrows(EngineException.class, () -> NativeLibrary.requirePlatform("Linux", "aarch64")).kind());
        assertThrows(EngineException.class, () -> NativeLibrary.requirePlatform("Mac OS X", "x86_64"));
    }

    @Test
    void anotherVersionIsRefused()
    {
        assertThrows(EngineException.class, () -> NativeLibrary.requireVersion("0.0.9"));
        assertThrows(EngineException.class, () -> NativeLibrary.requireVersion(null));
    }

    @Test
    void theLinkersMessageIsExplained()
    {
        assertExplains("failed to map segment from shared object", "noexec");
        assertExplains("/lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.34' not found", "older");
        assertExplains("undefined symbol: _ZN7rocksdb9DBImpl8FlushWALEb", "librocksdb.so beside it is not the one");
        assertExplains("Error loading shared library ld-linux-x86-64.so.2: No such file", "no glibc");
    }

    @Test
    void anUnknownKindIsInternal()
    {
        assertEquals(Kind.INTERNAL, new EngineException("SOMETHING_NEW", "message").kind());
        assertEquals(Kind.NO_SPACE, new EngineException("NO_SPACE", "message").kind());
    }

    private static void assertExplains(String linker, String expected)
    {
        String text = NativeLibrary.explain(new UnsatisfiedLinkError(linker), LIBRARY);
        assertTrue(text.contains(expected) && text.contains(linker), text);
    }
}
