/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.stream;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

import io.netty.util.concurrent.FastThreadLocal;

/** CRC-32C of a file's bytes. */
final class FileChecksum
{
    /** Small enough to stay in a core's cache between the copy and the sum. */
    private static final int BUFFER_BYTES = 256 << 10;

    private static final FastThreadLocal<ByteBuffer> BUFFERS = new FastThreadLocal<ByteBuffer>()
    {
        @Override
        protected ByteBuffer initialValue()
        {
            return ByteBuffer.allocateDirect(BUFFER_BYTES);
        }
    };

    private FileChecksum()
    {
    }

    /** @throws EOFException if the file has fewer bytes */
    static int of(Path file, long bytes) throws IOException
    {
        ByteBuffer buffer = BUFFERS.get();
        CRC32C crc = new CRC32C();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ))
        {
            long position = 0;
            while (position < bytes)
            {
                buffer.clear();
                buffer.limit((int) Math.min(buffer.capacity(), bytes - position));
                int read = channel.read(buffer, position);
                if (read < 0)
                    throw new EOFException(file + " has " + position + " bytes instead of " + bytes);
                position += read;
                buffer.flip();
                crc.update(buffer);
            }
        }
        return (int) crc.getValue();
    }
}
