/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import org.apache.cassandra.db.DeletionTime;
import org.apache.cassandra.db.LivenessInfo;
import org.apache.cassandra.db.filter.ColumnFilter;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.schema.TableMetadata;

/**
 * The parts of a row as sstables have them if each part was flushed by itself: a part with cells has no liveness. Of such
 * parts Cassandra's filter leaves out no cell for its age.
 */
final class RowParts
{
    private RowParts()
    {
    }

    /** Liveness and deletion; null if the row has neither. */
    static Row head(Row row)
    {
        return row.transformAndFilter(data -> null);
    }

    /** The columns; null if the row has none. */
    static Row body(Row row)
    {
        return row.transformAndFilter(LivenessInfo.EMPTY, Row.Deletion.LIVE, data -> data);
    }

    /** What a read finds that filters each part and then merges them; null if that is nothing. */
    static Row filtered(Row row, ColumnFilter filter, TableMetadata metadata)
    {
        List<Row> found = new ArrayList<>();
        for (Row part : new Row[]{ head(row), body(row) })
            if (part != null)
                found.add(part.filter(filter, metadata));
        found.removeIf(Objects::isNull);
        Row.Merger merger = new Row.Merger(2, true);
        for (int i = 0; i < found.size(); i++)
            merger.add(i, found.get(i));
        return found.isEmpty() ? null : merger.merge(DeletionTime.LIVE);
    }
}
