/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.nodetest.crash;

import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** The content of one partition: the generation of each row, and of the static column. Immutable. */
final class PartitionState
{
    static final PartitionState EMPTY = new PartitionState(Map.of(), null);

    final Map<Integer, Long> rows;
    final Long header;

    PartitionState(Map<Integer, Long> rows, Long header)
    {
        this.rows = Map.copyOf(rows);
        this.header = header;
    }

    PartitionState with(Map<Integer, Long> upserts, Long newHeader)
    {
        Map<Integer, Long> all = new TreeMap<>(rows);
        all.putAll(upserts);
        return new PartitionState(all, newHeader == null ? header : newHeader);
    }

    /** Without the rows of {@code from <= clustering < to}. */
    PartitionState without(int from, int to)
    {
        Map<Integer, Long> all = new TreeMap<>(rows);
        all.keySet().removeIf(row -> row >= from && row < to);
        return new PartitionState(all, header);
    }

    @Override
    public boolean equals(Object other)
    {
        return other instanceof PartitionState && rows.equals(((PartitionState) other).rows)
               && Objects.equals(header, ((PartitionState) other).header);
    }

    @Override
    public int hashCode()
    {
        return Objects.hash(rows, header);
    }

    @Override
    public String toString()
    {
        return new TreeMap<>(rows) + (header == null ? "" : " static " + header);
    }
}
