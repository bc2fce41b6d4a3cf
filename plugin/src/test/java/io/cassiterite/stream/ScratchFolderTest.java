/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.io.EOFException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32C;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Folders of streams are deleted with their last user, and checksums of files cover every byte. */
class ScratchFolderTest
{
    @Test
    void aFolderIsDeletedWithItsLastUser(@TempDir Path parent) throws Exception
    {
        ScratchFolder folder = new ScratchFolder(parent.resolve("made/scratch"));
        Files.createDirectories(folder.path.resolve("below"));
        Files.writeString(folder.path.resolve("below/file"), "x");
        folder.retain(2);
        folder.release();
        folder.release();
        assertTrue(Files.exists(folder.path.resolve("below/file")));
        folder.release();
        assertFalse(Files.exists(folder.path));
        assertTrue(Files.exists(folder.path.getParent()));
        ScratchFolder.delete(folder.path);
    }

    @Test
    void theChecksumIsOfAllBytes(@TempDir Path parent) throws Exception
    {
        byte[] bytes = new byte[(256 << 10) * 2 + 17];
        for (int i = 0; i < bytes.length; i++)
            bytes[i] = (byte) (i * 31 >> 3);
        Path file = Files.write(parent.resolve("file"), bytes);
        CRC32C expected = new CRC32C();
        expected.update(bytes);
        assertEquals((int) expected.getValue(), FileChecksum.of(file, bytes.length));
        assertThrows(EOFException.class, () -> FileChecksum.of(file, bytes.length + 1));
    }
}
