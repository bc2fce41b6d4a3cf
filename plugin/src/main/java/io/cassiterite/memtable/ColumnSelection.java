/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.util.Map;

import org.apache.cassandra.db.filter.ColumnFilter;
import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.schema.DroppedColumn;

/**
 * A column filter, made ready for decoding: what {@code BTreeRow.filter} decides cell by cell, decided column by column
 * beforehand. Immutable and thread-safe.
 */
final class ColumnSelection
{
    static final byte NOT_FETCHED = 0;
    static final byte FETCHED = 1;
    static final byte QUERIED = 2;

    final ColumnFilter filter;
    final Columns columns;
    final boolean filtersRegulars;
    final boolean filtersStatics;
    private final byte[] modes;
    private final DroppedColumn[] dropped;

    ColumnSelection(ColumnFilter filter, Columns columns)
    {
        this.filter = filter;
        this.columns = columns;
        Map<?, DroppedColumn> droppedColumns = columns.metadata.droppedColumns;
        filtersRegulars = filters(filter, false) || !droppedColumns.isEmpty();
        filtersStatics = filters(filter, true) || !droppedColumns.isEmpty();
        modes = new byte[columns.idLimit()];
        dropped = new DroppedColumn[columns.idLimit()];
        for (int id = 1; id < modes.length; id++)
        {
            ColumnMetadata column = columns.column(id);
            if (column == null)
                continue;
            dropped[id] = droppedColumns.get(column.name.bytes);
            if (filter.fetchedColumns().contains(column))
                modes[id] = filter.queriedColumns().contains(column) ? QUERIED : FETCHED;
        }
    }

    /** Everything, except what was dropped. */
    static ColumnSelection all(Columns columns)
    {
        return new ColumnSelection(ColumnFilter.all(columns.metadata), columns);
    }

    private static boolean filters(ColumnFilter filter, boolean isStatic)
    {
        return !filter.fetchesAllColumns(isStatic) || !filter.allFetchedColumnsAreQueried();
    }

    byte mode(int id)
    {
        return modes[id];
    }

    /** When the column's name was last dropped, or null. */
    DroppedColumn dropped(int id)
    {
        return dropped[id];
    }

    /** Whether cells are read that the query does not name, because they show that their rows live. */
    boolean fetchesUnqueried()
    {
        return !filter.allFetchedColumnsAreQueried();
    }

    boolean fetchesStatics()
    {
        return !filter.fetchedColumns().statics.isEmpty();
    }
}
