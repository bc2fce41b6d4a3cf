/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32;

/** A frame of protocol version 5. Lengths and checksums are little-endian. */
final class Frame
{
    /** Lengths of payloads have 17 bits. */
    static final int PAYLOAD_MAX = (1 << 17) - 1;

    private static final int CRC24_BYTES = 3;
    private static final int CRC24_START = 0x875060;
    private static final int CRC24_POLYNOMIAL = 0x1974F0B;
    private static final byte[] CRC32_START = { (byte) 0xFA, 0x2D, 0x55, (byte) 0xCA };

    enum Format
    {
        /** 17 bits of length, one says that the frame is self-contained. */
        PLAIN(3),
        /** The length as it is sent, that of the original or 0 where it is not compressed, and the bit. */
        LZ4(5);

        final int headerBytes;

        Format(int headerBytes)
        {
            this.headerBytes = headerBytes;
        }

        private long selfContainedBit()
        {
            return 1L << (this == PLAIN ? 17 : 34);
        }
    }

    final boolean selfContained;
    final byte[] payload;

    Frame(boolean selfContained, byte[] payload)
    {
        this.selfContained = selfContained;
        this.payload = payload;
    }

    /** @param compress whether the payload is compressed where the format has that and it becomes shorter */
    byte[] bytes(Format format, boolean compress)
    {
        byte[] sent = payload;
        long header = payload.length;
        if (format == Format.LZ4 && compress)
        {
            byte[] block = Compression.block(payload, 0, payload.length);
            if (block.length < payload.length)
            {
                sent = block;
                header = block.length | (long) payload.length << 17;
            }
        }
        if (selfContained)
            header |= format.selfContainedBit();
        int length = format.headerBytes + CRC24_BYTES + sent.length + Integer.BYTES;
        ByteBuffer frame = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        put(frame, header, format.headerBytes);
        put(frame, crc24(header, format.headerBytes), CRC24_BYTES);
        return frame.put(sent).putInt(crc32(sent)).array();
    }

    static Frame read(DataInputStream in, Format format) throws IOException
    {
        long header = get(in, format.headerBytes);
        if (get(in, CRC24_BYTES) != crc24(header, format.headerBytes))
            throw new AssertionError("a frame whose header has a wrong checksum");
        byte[] sent = new byte[(int) header & PAYLOAD_MAX];
        in.readFully(sent);
        if ((int) get(in, Integer.BYTES) != crc32(sent))
            throw new AssertionError("a frame whose payload has a wrong checksum");
        int originalLength = format == Format.LZ4 ? (int) (header >>> 17) & PAYLOAD_MAX : 0;
        byte[] payload = originalLength == 0 ? sent : Compression.unblock(sent, 0, sent.length, originalLength);
        return new Frame((header & format.selfContainedBit()) != 0, payload);
    }

    private static void put(ByteBuffer to, long value, int bytes)
    {
        for (int i = 0; i < bytes; i++)
            to.put((byte) (value >>> (8 * i)));
    }

    private static long get(DataInputStream in, int bytes) throws IOException
    {
        long value = 0;
        for (int i = 0; i < bytes; i++)
            value |= (long) in.readUnsignedByte() << (8 * i);
        return value;
    }

    static int crc24(long bytes, int count)
    {
        int crc = CRC24_START;
        for (int i = 0; i < count; i++)
        {
            crc ^= (int) (bytes >>> (8 * i) & 0xff) << 16;
            for (int bit = 0; bit < 8; bit++)
                crc = (crc & 0x800000) == 0 ? crc << 1 : crc << 1 ^ CRC24_POLYNOMIAL;
        }
        return crc;
    }

    static int crc32(byte[] bytes)
    {
        CRC32 crc = new CRC32();
        crc.update(CRC32_START);
        crc.update(bytes);
        return (int) crc.getValue();
    }
}
