/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

import net.jpountz.lz4.LZ4Factory;
import org.xerial.snappy.Snappy;

/** How the bodies of envelopes are compressed in versions 3 and 4; version 5 has LZ4 for its frames. */
enum Compression
{
    NONE(null)
    {
        @Override
        byte[] compress(byte[] body)
        {
            return body;
        }

        @Override
        byte[] decompress(byte[] body)
        {
            return body;
        }
    },
    /** The length, then a block. */
    LZ4("lz4")
    {
        @Override
        byte[] compress(byte[] body)
        {
            byte[] block = block(body, 0, body.length);
            return ByteBuffer.allocate(Integer.BYTES + block.length).putInt(body.length).put(block).array();
        }

        @Override
        byte[] decompress(byte[] body)
        {
            return unblock(body, Integer.BYTES, body.length - Integer.BYTES, ByteBuffer.wrap(body).getInt());
        }
    },
    SNAPPY("snappy")
    {
        @Override
        byte[] compress(byte[] body) throws IOException
        {
            return Snappy.compress(body);
        }

        @Override
        byte[] decompress(byte[] body) throws IOException
        {
            return Snappy.uncompress(body);
        }
    };

    /** As in STARTUP; null for none. */
    final String option;

    Compression(String option)
    {
        this.option = option;
    }

    abstract byte[] compress(byte[] body) throws IOException;

    abstract byte[] decompress(byte[] body) throws IOException;

    /** @return an LZ4 block without its length */
    static byte[] block(byte[] bytes, int offset, int length)
    {
        return LZ4Factory.fastestInstance().fastCompressor().compress(bytes, offset, length);
    }

    static byte[] unblock(byte[] bytes, int offset, int length, int originalLength)
    {
        byte[] original = new byte[originalLength];
        int written = LZ4Factory.fastestInstance().safeDecompressor().decompress(bytes, offset, length, original, 0);
        if (written != originalLength)
            throw new AssertionError("an LZ4 block of " + written + " bytes claims " + originalLength);
        return Arrays.copyOf(original, written);
    }
}
