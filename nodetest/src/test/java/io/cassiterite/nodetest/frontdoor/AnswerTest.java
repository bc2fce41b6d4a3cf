/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

class AnswerTest
{
    @Test
    void warningsCompareInAnyOrder()
    {
        assertArrayEquals(Answer.comparable(warned("first", "second")), Answer.comparable(warned("second", "first")));
    }

    @Test
    void otherWarningsDiffer()
    {
        byte[] some = Answer.comparable(warned("first", "second"));
        assertFalse(Arrays.equals(some, Answer.comparable(warned("first", "third!"))));
        assertFalse(Arrays.equals(some, Answer.comparable(warned("firstsecond"))));
    }

    private static Envelope warned(String... warnings)
    {
        ByteBuffer body = ByteBuffer.allocate(64).putShort((short) warnings.length);
        for (String warning : warnings)
            body.putShort((short) warning.length()).put(warning.getBytes(StandardCharsets.UTF_8));
        return new Envelope(0x84, Envelope.WARNING, 1, Envelope.RESULT, body.putInt(Answer.VOID).array());
    }
}
