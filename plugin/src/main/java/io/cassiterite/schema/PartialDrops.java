/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.schema;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.apache.cassandra.cql3.QueryProcessor;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.ConsistencyLevel;
import org.apache.cassandra.exceptions.RequestExecutionException;
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

    /** Asks all replicas whether the table has rows, where it must have none. */
    static List<String> refusals(TableMetadata before, TableMetadata after, long nowMicros)
    {
        List<String> reasons = new ArrayList<>();
        for (DroppedColumn dropped : after.droppedColumns.values())
        {
            String reason = reason(after, before.droppedColumns.get(dropped.column.name.bytes), dropped, nowMicros);
            if (reason == null)
                continue;
            String rows = rows(after);
            if (rows != null)
                reasons.add(reason + rows);
        }
        return reasons;
    }

    /** Why a table with rows cannot have this drop, or null if it can. */
    private static String reason(TableMetadata table, DroppedColumn previous, DroppedColumn dropped, long nowMicros)
    {
        if (previous != null && previous.droppedTime == dropped.droppedTime)
            return null;
        if (dropped.droppedTime < nowMicros - EARLIER_MICROS)
            return String.format("%s: column %s is dropped as of an earlier time (%d), which keeps younger cells; Cassiterite " +
                                 "tables drop a column with all of its cells. Leave USING TIMESTAMP out.",
                                 table, dropped.column.name, dropped.droppedTime);
        if (previous != null && !isLater(dropped, previous))
            return String.format("%s: column %s was dropped before as of a later time (%d) than now (%d); Cassiterite could not " +
                                 "tell the two drops apart. Let the nodes' clocks agree, and repeat it after that time.",
                                 table, dropped.column.name, previous.droppedTime, dropped.droppedTime);
        return null;
    }

    /** In milliseconds, as the schema's tables have it. */
    private static boolean isLater(DroppedColumn dropped, DroppedColumn previous)
    {
        return TimeUnit.MICROSECONDS.toMillis(dropped.droppedTime) > TimeUnit.MICROSECONDS.toMillis(previous.droppedTime);
    }

    /** What to add to a refusal because the table has rows, or may have; null if it has none. */
    private static String rows(TableMetadata table)
    {
        ColumnFamilyStore cfs = Schema.instance.getColumnFamilyStoreInstance(table.id);
        if (cfs == null)
            return null;
        if (!cfs.getTracker().getView().getCurrentMemtable().isClean())
            return "";
        try
        {
            return isEmptyEverywhere(table) ? null : "";
        }
        catch (RequestExecutionException e)
        {
            return " Only a table without rows may have it, and not all replicas could tell: " + e.getMessage() + '.';
        }
    }

    /** A node that is no replica of the rows has none of them. */
    private static boolean isEmptyEverywhere(TableMetadata table)
    {
        String key = table.partitionKeyColumns().get(0).name.toCQLString();
        String query = String.format("SELECT %s FROM %s LIMIT 1", key, table);
        return QueryProcessor.process(query, ConsistencyLevel.ALL).isEmpty();
    }
}
