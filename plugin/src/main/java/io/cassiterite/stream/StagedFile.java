/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.cassiterite.engine.SharedSocket;

/**
 * A file that is received: written once, from its first byte to its last. If the filesystem has direct I/O it bypasses
 * the page cache: the copy there costs several times what the transfer does, and displaces what the node reads. Small
 * files, and those for which no {@link StagingBlocks block} is left, go through the page cache.
 */
final class StagedFile implements Closeable
{
    private static final Logger logger = LoggerFactory.getLogger(StagedFile.class);

    /** Null if the JVM has none. */
    private static final OpenOption DIRECT = direct();

    private final FileChannel channel;
    private final long bytes;
    /** Null if the file goes through the page cache. */
    private final ByteBuffer block;
    private final CRC32C crc = new CRC32C();
    /** Bytes. Each write has an explicit position: some kernels set the file's own position wrongly after a direct write. */
    private long written;

    private StagedFile(FileChannel channel, long bytes, ByteBuffer block)
    {
        this.channel = channel;
        this.bytes = bytes;
        this.block = block;
    }

    /** By its name, because it is in the module jdk.unsupported. */
    private static OpenOption direct()
    {
        try
        {
            for (Object option : Class.forName("com.sun.nio.file.ExtendedOpenOption").getEnumConstants())
                if (option.toString().equals("DIRECT"))
                    return (OpenOption) option;
        }
        catch (ClassNotFoundException | LinkageError e)
        {
            logger.info("This JVM has no direct I/O: received files go through the page cache", e);
        }
        return null;
    }

    /**
     * @param path must not exist
     * @param bytes the number of bytes that will be appended
     */
    static StagedFile create(Path path, long bytes) throws IOException
    {
        boolean isDirect = bytes >= StagingBlocks.BLOCK_BYTES && isDirectPossible(path.getParent());
        Files.createFile(path);
        ByteBuffer block = isDirect ? StagingBlocks.take() : null;
        return block == null ? new StagedFile(FileChannel.open(path, StandardOpenOption.WRITE), bytes, null) : direct(path, bytes, block);
    }

    private static StagedFile direct(Path path, long bytes, ByteBuffer block) throws IOException
    {
        try
        {
            return new StagedFile(FileChannel.open(path, StandardOpenOption.WRITE, DIRECT), bytes, block);
        }
        catch (IOException | UnsupportedOperationException e)
        {
            StagingBlocks.give(block);
            return new StagedFile(FileChannel.open(path, StandardOpenOption.WRITE), bytes, null);
        }
    }

    /** True if the blocks have the alignment that the filesystem of a folder needs. */
    private static boolean isDirectPossible(Path folder)
    {
        try
        {
            long alignment = DIRECT == null ? 0 : Files.getFileStore(folder).getBlockSize();
            return alignment > 0 && StagingBlocks.ALIGNMENT_BYTES % alignment == 0;
        }
        catch (IOException | UnsupportedOperationException e)
        {
            return false;
        }
    }

    boolean isDirect()
    {
        return block != null;
    }

    /** Appends bytes; {@link #finish} writes what is still in memory. */
    void append(ByteBuffer source) throws IOException
    {
        crc.update(source.duplicate());
        if (block == null)
        {
            write(source);
            return;
        }
        int end = source.limit();
        while (source.hasRemaining())
        {
            source.limit(Math.min(end, source.position() + block.remaining()));
            block.put(source);
            source.limit(end);
            if (!block.hasRemaining())
                drain();
        }
    }

    /**
     * Appends bytes from a connection. Only for a file that {@link #isDirect bypasses the page cache}.
     *
     * @param most          at most so many
     * @param timeoutMillis how long to wait for a block to be full
     * @return how many
     */
    int receive(SharedSocket socket, long most, int timeoutMillis) throws IOException
    {
        int begin = block.position();
        block.limit((int) Math.min(block.capacity(), begin + most));
        int count = socket.receive(block, timeoutMillis);
        crc.update(block.duplicate().flip().position(begin));
        block.limit(block.capacity());
        if (!block.hasRemaining())
            drain();
        return count;
    }

    /** CRC-32C of all bytes so far. */
    int checksum()
    {
        return (int) crc.getValue();
    }

    /** When it returns all bytes are in the file, but not yet durable. */
    void finish() throws IOException
    {
        if (block != null && block.position() > 0)
        {
            block.position(aligned(block.position()));
            drain();
        }
        if (channel.size() != written)
            throw new IOException(String.format("%d bytes were written to a file that has %d", written, channel.size()));
        if (written > bytes)
            channel.truncate(bytes);
    }

    private static int aligned(int length)
    {
        return (length + StagingBlocks.ALIGNMENT_BYTES - 1) / StagingBlocks.ALIGNMENT_BYTES * StagingBlocks.ALIGNMENT_BYTES;
    }

    private void drain() throws IOException
    {
        write(block.flip());
        block.clear();
    }

    private void write(ByteBuffer source) throws IOException
    {
        while (source.hasRemaining())
            written += channel.write(source, written);
    }

    @Override
    public void close() throws IOException
    {
        if (block != null)
            StagingBlocks.give(block);
        channel.close();
    }
}
