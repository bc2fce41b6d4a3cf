/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.engine;

import java.nio.file.Path;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertTrue;

/** In a JVM, too, RocksDB calls the engine's CRC-32C: who loads the libraries decides that. */
class ChecksumFunctionTest
{
    @TempDir
    Path folder;

    @Test
    void rocksdbCallsTheEnginesFunction()
    {
        NativeLibrary.load();
        try (Store store = Store.open(Map.of(Store.DIRECTORY, folder.toString())))
        {
            String report = store.report("settings");
            assertTrue(report.contains("\ncrc32c\tinstruction\t") || report.contains("\ncrc32c\ttable\t"), report);
        }
    }
}
