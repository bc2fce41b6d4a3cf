/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;

/**
 * Version 5: envelopes in frames with checksums. A self-contained frame has whole envelopes; a large envelope goes over
 * several frames that have nothing else. Reading is strict: whatever Cassandra would not send is an error. One thread.
 */
final class FrameFraming extends Framing
{
    private static final int ONE_IN_CUT = 40;

    private final Frame.Format format;
    private final Deque<Envelope> arrived = new ArrayDeque<>();

    FrameFraming(boolean compressed)
    {
        format = compressed ? Frame.Format.LZ4 : Frame.Format.PLAIN;
    }

    @Override
    byte[] write(List<Envelope> envelopes, Random random) throws IOException
    {
        ByteArrayOutputStream frames = new ByteArrayOutputStream();
        ByteArrayOutputStream together = new ByteArrayOutputStream();
        for (Envelope envelope : envelopes)
        {
            boolean cut = envelope.size() > Frame.PAYLOAD_MAX || (envelope.body.length > 0 && random.nextInt(ONE_IN_CUT) == 0);
            if (cut || together.size() + envelope.size() > Frame.PAYLOAD_MAX || random.nextInt(3) == 0)
                flush(together, frames, random);
            if (cut)
                writeLarge(envelope.bytes(), frames, random);
            else
                together.write(envelope.bytes());
        }
        flush(together, frames, random);
        return frames.toByteArray();
    }

    @Override
    byte[] write(Envelope envelope) throws IOException
    {
        byte[] bytes = envelope.bytes();
        if (bytes.length <= Frame.PAYLOAD_MAX)
            return new Frame(true, bytes).bytes(format, true);
        ByteArrayOutputStream frames = new ByteArrayOutputStream();
        writeLarge(bytes, Frame.PAYLOAD_MAX, frames, () -> true);
        return frames.toByteArray();
    }

    private void flush(ByteArrayOutputStream together, ByteArrayOutputStream frames, Random random) throws IOException
    {
        if (together.size() > 0)
            frames.write(new Frame(true, together.toByteArray()).bytes(format, random.nextInt(4) > 0));
        together.reset();
    }

    /**
     * In two frames at least: Cassandra answers a message that lies whole in one frame that is not self-contained, and then
     * never the next one in several frames. The first frame has the header.
     */
    private void writeLarge(byte[] bytes, ByteArrayOutputStream frames, Random random) throws IOException
    {
        int first = Math.min(Frame.PAYLOAD_MAX, Envelope.HEADER_BYTES + random.nextInt(bytes.length - Envelope.HEADER_BYTES + 1));
        writeLarge(bytes, first == bytes.length ? first - 1 : first, frames, () -> random.nextInt(4) > 0);
    }

    private void writeLarge(byte[] bytes, int first, ByteArrayOutputStream frames, BooleanSupplier compress) throws IOException
    {
        int from = 0;
        int to = first;
        while (from < bytes.length)
        {
            frames.write(new Frame(false, Arrays.copyOfRange(bytes, from, to)).bytes(format, compress.getAsBoolean()));
            from = to;
            to = Math.min(bytes.length, from + Frame.PAYLOAD_MAX);
        }
    }

    @Override
    Envelope read(DataInputStream in) throws IOException
    {
        while (arrived.isEmpty())
            take(Frame.read(in, format), in);
        return arrived.remove();
    }

    private void take(Frame frame, DataInputStream in) throws IOException
    {
        ByteBuffer payload = ByteBuffer.wrap(frame.payload);
        if (!frame.selfContained)
        {
            arrived.add(large(frame, in));
            return;
        }
        while (payload.hasRemaining())
            arrived.add(Envelope.read(payload));
    }

    private Envelope large(Frame first, DataInputStream in) throws IOException
    {
        int size = Envelope.HEADER_BYTES + Envelope.lengthIn(first.payload);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(size);
        bytes.write(first.payload);
        while (bytes.size() < size)
        {
            Frame next = Frame.read(in, format);
            if (next.selfContained)
                throw new AssertionError("a self-contained frame within a large message");
            bytes.write(next.payload);
        }
        if (bytes.size() > size)
            throw new AssertionError("the frames of a large message have " + bytes.size() + " bytes, the message " + size);
        return Envelope.read(ByteBuffer.wrap(bytes.toByteArray()));
    }
}
