/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.engine;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

import io.cassiterite.SpoiltBytes;

import static org.junit.jupiter.api.Assertions.assertTrue;

/** Whatever the engine answers, entries lie within the answer, or it is refused. */
class AnswerProperties
{
    private static final int HANDLE_BYTES = 8;

    @Property(tries = 5000)
    void entriesLieWithinTheAnswer(@ForAll long seed)
    {
        Random random = new Random(seed);
        byte[] bytes = SpoiltBytes.of(answer(random), random);
        // A handle that the engine has never given must not be closed.
        Arrays.fill(bytes, 0, Math.min(bytes.length, HANDLE_BYTES), (byte) 0);
        ByteBuffer buffer = Buffers.takeAnswer(Buffers.ANSWER_BYTES);
        buffer.duplicate().put(bytes);
        if (bytes.length >= 12 && random.nextInt(4) > 0)
            buffer.putInt(HANDLE_BYTES, bytes.length - 12);
        try (Answer answer = new Answer(null, () -> {}, buffer))
        {
            answer.accept(bytes.length);
            while (random.nextBoolean() ? answer.next() : answer.nextPartition())
                assertTrue(12 < answer.start() && answer.start() <= answer.end() && answer.end() <= bytes.length,
                           answer.start() + " to " + answer.end() + " of " + bytes.length);
        }
        catch (IllegalStateException e)
        {
            // as documented
        }
    }

    private static byte[] answer(Random random)
    {
        ByteBuffer out = ByteBuffer.allocate(1 << 10).order(ByteOrder.LITTLE_ENDIAN);
        out.putLong(0).putInt(0);
        for (int entries = random.nextInt(5); entries > 0; entries--)
        {
            byte[] content = new byte[random.nextInt(40)];
            out.put((byte) (1 + random.nextInt(Answer.SLICE_END))).putInt(content.length).put(content);
        }
        out.putInt(HANDLE_BYTES, out.position() - 12);
        return Arrays.copyOf(out.array(), out.position());
    }
}
