/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.cassiterite.OwnJvm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Bytes received in pieces of any length are in the file to the byte, with direct I/O or through the page cache. */
@OwnJvm
class StagedFileTest
{
    private static final int BLOCK = StagingBlocks.BLOCK_BYTES;

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4096, BLOCK - 1, BLOCK, BLOCK + 1, BLOCK + 4096, 3 * BLOCK, 3 * BLOCK + 70_001})
    void allBytesAreThere(int length, @TempDir Path folder) throws Exception
    {
        byte[] bytes = random(length);
        Path path = folder.resolve("file");
        write(path, bytes);
        assertArrayEquals(bytes, Files.readAllBytes(path));
    }

    @Test
    void largeFilesGoPastThePageCacheWhereTheyCan() throws Exception
    {
        Path folder = Files.createTempDirectory(Path.of("target"), "staged");
        try (StagedFile large = StagedFile.create(folder.resolve("large"), BLOCK);
             StagedFile small = StagedFile.create(folder.resolve("small"), BLOCK - 1))
        {
            assertFalse(small.isDirect());
            assumeTrue(canOpenDirectly(Files.createFile(folder.resolve("probe"))), "this filesystem has no direct I/O");
            assertTrue(large.isDirect());
        }
        finally
        {
            ScratchFolder.delete(folder);
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static boolean canOpenDirectly(Path file) throws ReflectiveOperationException
    {
        OpenOption direct = (OpenOption) Enum.valueOf((Class) Class.forName("com.sun.nio.file.ExtendedOpenOption"), "DIRECT");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE, direct))
        {
            return channel.isOpen();
        }
        catch (IOException | UnsupportedOperationException e)
        {
            return false;
        }
    }

    @Test
    void withoutBlocksTheyGoThroughThePageCache(@TempDir Path folder) throws Exception
    {
        List<ByteBuffer> taken = new ArrayList<>();
        for (ByteBuffer block = StagingBlocks.take(); block != null; block = StagingBlocks.take())
            taken.add(block);
        try
        {
            byte[] bytes = random(2 * BLOCK + 5);
            try (StagedFile file = StagedFile.create(folder.resolve("none"), bytes.length))
            {
                assertFalse(file.isDirect());
            }
            write(folder.resolve("file"), bytes);
            assertArrayEquals(bytes, Files.readAllBytes(folder.resolve("file")));
        }
        finally
        {
            taken.forEach(StagingBlocks::give);
        }
    }

    @Test
    void aFileThatIsGivenUpGivesItsBlockBack(@TempDir Path folder) throws Exception
    {
        for (int i = 0; i <= StagingBlocks.LIMIT; i++)
            try (StagedFile file = StagedFile.create(folder.resolve("file" + i), 2 * BLOCK))
            {
                file.append(ByteBuffer.wrap(random(100)));
            }
        ByteBuffer block = StagingBlocks.take();
        assertNotNull(block);
        StagingBlocks.give(block);
    }

    @Test
    void thereIsOnlySoMuchMemory()
    {
        List<ByteBuffer> taken = new ArrayList<>();
        for (int i = 0; i < StagingBlocks.LIMIT; i++)
            taken.add(StagingBlocks.take());
        assertNull(StagingBlocks.take());
        taken.forEach(StagingBlocks::give);
    }

    @Test
    void aFileThatIsThereIsLeftAlone(@TempDir Path folder) throws Exception
    {
        Path path = Files.write(folder.resolve("file"), random(10));
        assertThrows(FileAlreadyExistsException.class, () -> StagedFile.create(path, 3 * BLOCK));
        assertThrows(FileAlreadyExistsException.class, () -> StagedFile.create(path, 3));
        assertArrayEquals(random(10), Files.readAllBytes(path));
    }

    private static void write(Path path, byte[] bytes) throws Exception
    {
        Random random = new Random(7);
        try (StagedFile file = StagedFile.create(path, bytes.length))
        {
            for (int from = 0; from < bytes.length; )
            {
                int length = Math.min(bytes.length - from, 1 + random.nextInt(100_000));
                file.append(ByteBuffer.wrap(bytes, from, length));
                from += length;
            }
            file.finish();
        }
    }

    private static byte[] random(int length)
    {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }
}
