/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Random;

/** Bytes for tests of decoders. */
public final class SpoiltBytes
{
    private static final int[] NUMBERS = { 0, 1, 0x7F, 0x80, 0xFF };

    private SpoiltBytes()
    {
    }

    /** Valid bytes with up to three edits, or sometimes arbitrary ones. */
    public static byte[] of(byte[] good, Random random)
    {
        if (random.nextInt(8) == 0)
        {
            byte[] arbitrary = new byte[random.nextInt(64)];
            random.nextBytes(arbitrary);
            return arbitrary;
        }
        byte[] bytes = good;
        for (int edits = random.nextInt(4); edits > 0; edits--)
            bytes = edited(bytes, random);
        return bytes;
    }

    private static byte[] edited(byte[] bytes, Random random)
    {
        int at = random.nextInt(bytes.length + 1);
        switch (random.nextInt(5))
        {
            case 0:
                return Arrays.copyOf(bytes, at);
            case 1:
                return replaced(bytes, at, 1, random);
            case 2:
                return replaced(bytes, at, 4, random);
            case 3:
                return spliced(bytes, at, 1, new byte[0]);
            default:
                return spliced(bytes, at, 0, new byte[]{ (byte) random.nextInt(), (byte) random.nextInt() });
        }
    }

    /** What may be a length, a count or a flag becomes another one. */
    private static byte[] replaced(byte[] bytes, int at, int count, Random random)
    {
        byte[] with = new byte[count];
        random.nextBytes(with);
        if (random.nextBoolean())
            Arrays.fill(with, (byte) NUMBERS[random.nextInt(NUMBERS.length)]);
        return spliced(bytes, at, count, with);
    }

    private static byte[] spliced(byte[] bytes, int at, int removed, byte[] inserted)
    {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(bytes, 0, at);
        out.writeBytes(inserted);
        int rest = Math.min(bytes.length, at + removed);
        out.write(bytes, rest, bytes.length - rest);
        return out.toByteArray();
    }
}
