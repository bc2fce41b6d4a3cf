/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.oracle;

import java.nio.ByteBuffer;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

/** What the oracle takes for the same answer. */
class ComparisonTest
{
    private static final long POSITIVE_NAN = 0x7ff8000000000000L;
    private static final long NEGATIVE_NAN = 0xfff8000000000000L;

    private static Answer answer(String column, String type, long value)
    {
        Answer answer = new Answer();
        answer.columns.add(column);
        answer.types.add(type);
        Answer.Page page = new Answer.Page();
        page.rows.add(new byte[][]{ ByteBuffer.allocate(Long.BYTES).putLong(value).array() });
        answer.pages.add(page);
        return answer;
    }

    private static String difference(String column, String type, long stock, long engine)
    {
        return Comparison.difference(answer(column, type, stock), answer(column, type, engine));
    }

    @Test
    void theBitsOfAComputedNaNAreNotCompared()
    {
        assertNull(difference("system.sum(v)", "double", NEGATIVE_NAN, POSITIVE_NAN));
        assertNull(difference("system.avg(v)", "double", POSITIVE_NAN, NEGATIVE_NAN));
    }

    @Test
    void allOtherBitsAre()
    {
        assertNotNull(difference("v", "double", NEGATIVE_NAN, POSITIVE_NAN));
        assertNotNull(difference("system.min(v)", "double", NEGATIVE_NAN, POSITIVE_NAN));
        assertNotNull(difference("system.sum(v)", "bigint", NEGATIVE_NAN, POSITIVE_NAN));
        assertNotNull(difference("system.sum(v)", "double", Double.doubleToLongBits(1.0), POSITIVE_NAN));
        assertNotNull(difference("system.sum(v)", "double", Double.doubleToLongBits(0.0), Double.doubleToLongBits(-0.0)));
    }

    @Test
    void theServersStampsMayLieSomeTimeApart()
    {
        long micros = 1_900_000_000_000_000L;
        assertNull(difference("writetime(v)", "bigint", micros, micros + Comparison.SERVER_STAMP_SLACK_MICROS - 1));
        assertNotNull(difference("writetime(v)", "bigint", micros, micros + Comparison.SERVER_STAMP_SLACK_MICROS));
        assertNotNull(difference("writetime(v)", "bigint", 100, 200));
    }
}
