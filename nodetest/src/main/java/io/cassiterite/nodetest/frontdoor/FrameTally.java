/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.frontdoor;

import java.util.Map;
import java.util.TreeMap;

/** Counts what a run compared, by protocol version and by kind of answer. One thread. */
public final class FrameTally
{
    private final Map<String, Long> counts = new TreeMap<>();
    private long total;
    private long repeated;
    private long schemaChanges;
    private long connections;
    private long writes;

    void compared(int version, String kind)
    {
        total++;
        counts.merge("v" + version + ' ' + kind, 1L, Long::sum);
    }

    void repeated()
    {
        repeated++;
    }

    void schemaChanged()
    {
        schemaChanges++;
    }

    void connected()
    {
        connections++;
    }

    void written()
    {
        writes++;
    }

    /** @return pairs of frames that were compared */
    public long total()
    {
        return total;
    }

    public String report()
    {
        StringBuilder text = new StringBuilder("oracle: " + total + " pairs of frames compared; " + writes + " writes on one side, "
                                               + schemaChanges + " schema changes, " + connections + " pairs of connections, " + repeated
                                               + " comparisons repeated\n");
        counts.forEach((kind, count) -> text.append(String.format("  %-24s %9d%n", kind, count)));
        return text.toString();
    }
}
