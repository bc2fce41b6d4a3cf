/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor.drivers;

import java.util.List;

import static org.junit.jupiter.api.Assertions.fail;

/** Compares what was answered, and shows the first difference. */
final class Transcripts
{
    private static final int CONTEXT = 3;

    private Transcripts()
    {
    }

    static void assertSame(List<String> expected, List<String> actual)
    {
        if (expected.equals(actual))
            return;
        int line = 0;
        while (line < expected.size() && line < actual.size() && expected.get(line).equals(actual.get(line)))
            line++;
        fail("differs from line " + line + ":\nstock, " + expected.size() + " lines:\n" + around(expected, line) + "door, "
             + actual.size() + " lines:\n" + around(actual, line));
    }

    private static String around(List<String> lines, int line)
    {
        StringBuilder text = new StringBuilder();
        for (int i = Math.max(0, line - CONTEXT); i < Math.min(lines.size(), line + CONTEXT); i++)
            text.append(i == line ? "  > " : "    ").append(lines.get(i)).append('\n');
        return text.toString();
    }
}
