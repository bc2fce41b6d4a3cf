/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.schema;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.schema.DroppedColumn;
import org.apache.cassandra.schema.Schema;
import org.apache.cassandra.schema.TableMetadata;

/**
 * Drops of a column with a time that the engine cannot use, from tables with rows. Schemas for empty tables, as
 * DESCRIBE writes them, may have them.
 * <ul>
 * <li>{@code ALTER TABLE ... DROP ... USING TIMESTAMP} of an earlier time: a stock table keeps the cells that are younger, and
 * shows them when the column is added again. The engine drops a column with all its cells.
 * <li>A drop that is no later than the last one of the name: the engine could not tell it from that one, which the
 * column was added after, and would only hide the column. Clocks that differ make such a time.
 * </ul>
 */
final class PartialDrops
{
    /** Without USING TIMESTAMP a drop has the time of its statement, which is a little earlier than the check. */
    private static final long EARLIER_MICROS = TimeUnit.SECONDS.toMicros(10);

    private PartialDrops()
    {
    }

    static List<String> refusals(TableMetadata before, TableMetadata after, long nowMicros)
    {
        List<String> reasons = new ArrayList<>();
        for (DroppedColumn dropped : after.droppedColumns.values())
        {
            DroppedColumn previous = before.droppedColumns.get(dropped.column.name.bytes);
            boolean isNew = previous == null || previous.droppedTime != dropped.droppedTime;
            if (isNew && dropped.droppedTime < nowMicros - EARLIER_MICROS && hasRows(after))
                reasons.add(String.format("%s: column %s is dropped as of an earlier time (%d), which keeps younger cells; Cassiterite " +
                                          "tables drop a column with all of its cells. Leave USING TIMESTAMP out.",
                                          after, dropped.column.name, dropped.droppedTime));
            else if (isNew && previous != null && !isLater(dropped, previous) && hasRows(after))
                reasons.add(String.format("%s: column %s was dropped before as of a later time (%d) than now (%d); Cassiterite could not " +
                                          "tell the two drops apart. Let the nodes' clocks agree, and repeat it after that time.",
                                          after, dropped.column.name, previous.droppedTime, dropped.droppedTime));
        }
        return reasons;
    }

    /** In milliseconds, as the schema's tables have it. */
    private static boolean isLater(DroppedColumn dropped, DroppedColumn previous)
    {
        return TimeUnit.MICROSECONDS.toMillis(dropped.droppedTime) > TimeUnit.MICROSECONDS.toMillis(previous.droppedTime);
    }

    private static boolean hasRows(TableMetadata table)
    {
        ColumnFamilyStore cfs = Schema.instance.getColumnFamilyStoreInstance(table.id);
        return cfs != null && !cfs.getTracker().getView().getCurrentMemtable().isClean();
    }
}
