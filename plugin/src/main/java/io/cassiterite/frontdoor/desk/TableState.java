/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.frontdoor.desk;

import java.util.Objects;
import java.util.Set;

import org.apache.cassandra.schema.TableId;

import io.cassiterite.engine.Table;

/** Whether the door may answer for a table, and from what. Immutable. */
final class TableState
{
    final Set<TableGate> closed;
    private final Table table;
    private final RingRanges ranges;
    private final int tombstones;
    private final Comparing comparing;
    /** Null where the table is opened to reads. */
    private final Long smallestTimestamp;
    /** Null where rows have one replica, and where the table is opened to reads. */
    private final Copying copying;

    private TableState(Set<TableGate> closed, Table table, RingRanges ranges, int tombstones, Comparing comparing,
                       Long smallestTimestamp, Copying copying)
    {
        this.smallestTimestamp = smallestTimestamp;
        this.copying = copying;
        this.closed = closed;
        this.table = table;
        this.ranges = ranges;
        this.tombstones = tombstones;
        this.comparing = comparing;
    }

    static TableState closed(Set<TableGate> gates)
    {
        return new TableState(gates, null, null, 0, null, null, null);
    }

    static TableState open(Table table, RingRanges ranges, int tombstones)
    {
        return open(table, ranges, tombstones, null);
    }

    /**
     * @param tombstones the number at which a read is forwarded
     * @param comparing  null if only this node answers from the table
     */
    static TableState open(Table table, RingRanges ranges, int tombstones, Comparing comparing)
    {
        return new TableState(Set.of(), table, ranges, tombstones, comparing, null, null);
    }

    /**
     * @param smallestTimestamp Cassandra knows of no earlier write, in microseconds since the epoch
     * @param copying           null if rows have one replica
     */
    static TableState openToWrites(Table table, RingRanges ranges, long smallestTimestamp, Copying copying)
    {
        return new TableState(Set.of(), table, ranges, 0, null, smallestTimestamp, copying);
    }

    boolean isOpen()
    {
        return table != null;
    }

    Table table()
    {
        return table;
    }

    byte[] spec(TableId id)
    {
        if (smallestTimestamp != null)
        {
            byte[] writes = ranges.writesSpec(id, smallestTimestamp);
            return copying == null ? writes : copying.spec(writes);
        }
        byte[] alone = ranges.spec(id, tombstones);
        return comparing == null ? alone : comparing.spec(alone);
    }

    boolean isSameOpening(TableState other)
    {
        return isOpen() && table == other.table && ranges == other.ranges && tombstones == other.tombstones &&
               Objects.equals(smallestTimestamp, other.smallestTimestamp) && Comparing.areSame(comparing, other.comparing) &&
               Copying.areSame(copying, other.copying);
    }
}
