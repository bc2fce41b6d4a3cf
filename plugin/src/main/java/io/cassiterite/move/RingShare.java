/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.move;

import java.util.Set;

import org.apache.cassandra.io.sstable.format.SSTableReader;

/** How much of the bytes of sstables lies before a token, as far as the ring tells. Immutable. */
final class RingShare
{
    private final double first;
    private final double width;
    private final long bytes;

    private RingShare(double first, double last, long bytes)
    {
        this.first = first;
        this.width = Math.max(1, last - first);
        this.bytes = bytes;
    }

    static RingShare of(Set<SSTableReader> sstables)
    {
        double first = sstables.stream().mapToDouble(sstable -> sstable.getFirst().getToken().getLongValue()).min().orElse(0);
        double last = sstables.stream().mapToDouble(sstable -> sstable.getLast().getToken().getLongValue()).max().orElse(0);
        return new RingShare(first, last, sstables.stream().mapToLong(SSTableReader::onDiskLength).sum());
    }

    /** Of rows that may be anywhere. */
    static RingShare ofRing(long bytes)
    {
        return new RingShare(Long.MIN_VALUE, Long.MAX_VALUE, bytes);
    }

    long bytes()
    {
        return bytes;
    }

    long of(Long token)
    {
        return token == null ? 0 : (long) (bytes * Math.min(1, Math.max(0, (token - first) / width)));
    }
}
