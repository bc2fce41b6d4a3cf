/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.engine;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.cassiterite.OwnJvm;
import io.cassiterite.engine.EngineException.Kind;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The shim in the engine uses headers that are RocksDB's own: another build of the same version may lay its classes out otherwise. */
@OwnJvm
class OtherRocksdbBuildTest
{
    private static final String RESOURCES = "/io/cassiterite/native/linux-x86_64/";

    @TempDir
    Path folder;

    @Test
    void anotherBuildOfTheSameVersionIsRefused() throws IOException
    {
        copy("libcassiterite.so");
        Path rocksdb = copy("librocksdb.so");
        Files.write(rocksdb, new byte[]{ 0 }, StandardOpenOption.APPEND);
        System.setProperty(NativeLibrary.LIBRARY_PROPERTY, folder.resolve("libcassiterite.so").toString());

        EngineException refused = assertThrows(EngineException.class, NativeLibrary::load);
        assertEquals(Kind.INVALID, refused.kind());
        assertTrue(refused.getMessage().contains(rocksdb + " is not the library that"), refused.getMessage());
        assertTrue(refused.getMessage().contains("put the librocksdb.so that came with"), refused.getMessage());
    }

    private Path copy(String name) throws IOException
    {
        Path target = folder.resolve(name);
        try (InputStream in = OtherRocksdbBuildTest.class.getResourceAsStream(RESOURCES + name))
        {
            Files.copy(in, target);
        }
        return target;
    }
}
