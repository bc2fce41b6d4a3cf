/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.List;
import java.util.Random;

/** How envelopes lie on a connection after STARTUP. One thread. */
abstract class Framing
{
    static Framing of(int version, Compression compression)
    {
        return version < 5 ? new Plain(compression) : new FrameFraming(compression == Compression.LZ4);
    }

    /** @param random of all the ways that the protocol leaves open it takes any */
    abstract byte[] write(List<Envelope> envelopes, Random random) throws IOException;

    /** @return as drivers send it: compressed, and in one frame where it fits */
    abstract byte[] write(Envelope envelope) throws IOException;

    /** @return the next one, with its body decompressed */
    abstract Envelope read(DataInputStream in) throws IOException;

    /** Versions 3 and 4: one envelope after the other, each with a body that may be compressed. */
    private static final class Plain extends Framing
    {
        private static final int ONE_IN_UNCOMPRESSED = 5;

        private final Compression compression;

        Plain(Compression compression)
        {
            this.compression = compression;
        }

        @Override
        byte[] write(List<Envelope> envelopes, Random random) throws IOException
        {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            for (Envelope envelope : envelopes)
                bytes.write(wrapped(envelope, random).bytes());
            return bytes.toByteArray();
        }

        private Envelope wrapped(Envelope envelope, Random random) throws IOException
        {
            return random.nextInt(ONE_IN_UNCOMPRESSED) == 0 ? envelope : wrapped(envelope);
        }

        /** Cassandra cannot decompress an empty body. */
        private Envelope wrapped(Envelope envelope) throws IOException
        {
            if (compression == Compression.NONE || envelope.body.length == 0)
                return envelope;
            return envelope.with(compression.compress(envelope.body), true);
        }

        @Override
        byte[] write(Envelope envelope) throws IOException
        {
            return wrapped(envelope).bytes();
        }

        @Override
        Envelope read(DataInputStream in) throws IOException
        {
            Envelope envelope = Envelope.read(in);
            return envelope.has(Envelope.COMPRESSED) ? envelope.with(compression.decompress(envelope.body), false) : envelope;
        }
    }
}
