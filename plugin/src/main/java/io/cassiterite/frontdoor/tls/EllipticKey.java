/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.tls;

import java.io.ByteArrayOutputStream;
import java.security.PublicKey;
import java.security.interfaces.ECPrivateKey;
import java.util.Arrays;

/** PKCS#8 of elliptic keys. Java leaves out the public key, which RFC 5958 lets it, and which the library needs. */
final class EllipticKey
{
    private static final int SEQUENCE = 0x30;
    private static final int OCTETS = 4;
    private static final int PUBLIC_KEY = 0xa1;
    private static final byte[] VERSION_0 = { 2, 1, 0 };
    private static final byte[] VERSION_1 = { 2, 1, 1 };
    /** Tag, length, unused bits, and the form of a point. */
    private static final int BEFORE_POINT = 4;
    private static final int SHORT_LENGTH = 0x80;
    private static final int BYTE_LENGTH = 0x81;

    private EllipticKey()
    {
    }

    /** @return null for a curve of more than 384 bits, which the library lacks */
    static byte[] pkcs8(ECPrivateKey key, PublicKey shown)
    {
        byte[] info = shown.getEncoded();
        if (info[1] < 0)
            return null;
        // A sequence of the algorithm, which is one itself, and of the point as a string of bits.
        int algorithmEnd = 2 + 2 + info[3];
        byte[] algorithm = Arrays.copyOfRange(info, 2, algorithmEnd);
        byte[] point = Arrays.copyOfRange(info, algorithmEnd, info.length);
        byte[] scalar = der(OCTETS, padded(key.getS().toByteArray(), (point.length - BEFORE_POINT) / 2));
        byte[] content = der(SEQUENCE, VERSION_1, scalar, der(PUBLIC_KEY, point));
        return der(SEQUENCE, VERSION_0, algorithm, der(OCTETS, content));
    }

    private static byte[] padded(byte[] number, int length)
    {
        byte[] padded = new byte[length];
        int used = Math.min(number.length, length);
        System.arraycopy(number, number.length - used, padded, length - used, used);
        return padded;
    }

    private static byte[] der(int tag, byte[]... parts)
    {
        int length = Arrays.stream(parts).mapToInt(part -> part.length).sum();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(tag);
        if (length >= SHORT_LENGTH)
            out.write(BYTE_LENGTH);
        out.write(length);
        for (byte[] part : parts)
            out.write(part, 0, part.length);
        return out.toByteArray();
    }
}
