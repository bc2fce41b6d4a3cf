/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.util.ArrayList;
import java.util.List;

import org.apache.cassandra.db.filter.ColumnFilter;
import org.apache.cassandra.db.rows.Cell;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.db.rows.RowIterator;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.db.rows.UnfilteredRowIterators;
import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.schema.TableMetadata;

/** A partition as a client gets it: live rows, with the live cells that the query names. */
final class ClientView
{
    private ClientView()
    {
    }

    /** Reads the partition to its end and closes it. */
    static List<String> of(UnfilteredRowIterator partition, ColumnFilter columns, long nowInSec)
    {
        TableMetadata metadata = partition.metadata();
        List<String> lines = new ArrayList<>();
        try (RowIterator rows = UnfilteredRowIterators.filter(partition, nowInSec))
        {
            if (!rows.staticRow().isEmpty())
                lines.add(row(metadata, rows.staticRow(), columns));
            while (rows.hasNext())
                lines.add(row(metadata, rows.next(), columns));
            if (!lines.isEmpty())
                lines.add(0, rows.partitionKey().toString());
        }
        return lines;
    }

    private static String row(TableMetadata metadata, Row row, ColumnFilter columns)
    {
        StringBuilder text = new StringBuilder(row.clustering().toString(metadata));
        for (Cell<?> cell : row.cells())
            if (isQueried(cell, columns))
                text.append(' ').append(cell.column().name).append(PartitionContent.text(cell));
        return text.toString();
    }

    private static boolean isQueried(Cell<?> cell, ColumnFilter columns)
    {
        ColumnMetadata column = cell.column();
        return cell.path() == null ? columns.fetchedColumnIsQueried(column) : columns.fetchedCellIsQueried(column, cell.path());
    }
}
