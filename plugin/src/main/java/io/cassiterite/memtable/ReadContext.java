/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import org.apache.cassandra.db.ReadCommand;
import org.apache.cassandra.db.SinglePartitionReadCommand;
import org.apache.cassandra.db.filter.DataLimits;
import org.apache.cassandra.db.rows.EncodingStats;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.db.rows.Rows;
import org.apache.cassandra.exceptions.QueryCancelledException;
import org.apache.cassandra.schema.TableMetadata;

import io.cassiterite.engine.Answer;
import io.cassiterite.engine.Table;

/** What is constant during one read: the table's generation, its schema, the selected columns and the command. Immutable. */
final class ReadContext implements Answer.Watch
{
    final Table table;
    final Columns columns;
    final ColumnSelection selection;
    final EncodingStats stats;

    private final ReadCommand command;

    /** @param command the command that reads, null if there is none */
    ReadContext(Table table, Columns columns, ColumnSelection selection, EncodingStats stats, ReadCommand command)
    {
        this.table = table;
        this.columns = columns;
        this.selection = selection;
        this.stats = stats;
        this.command = command;
    }

    TableMetadata metadata()
    {
        return columns.metadata;
    }

    /**
     * Cassandra checks the timeout of a query at each partition and row that it gets; this check is for queries that get none.
     */
    @Override
    public void check()
    {
        if (command != null && command.isAborted())
            throw new QueryCancelledException(command);
    }

    /**
     * Rows that the query wants at most, as far as it tells before it reads: then the first answer has no more, and in most
     * queries it is the only one. Rows that turn out not to count are made up for by the next answer.
     */
    int rowsWanted()
    {
        if (command == null || command.limits().isGroupByLimit() || !command.rowFilter().isEmpty())
            return ReadRequests.NO_BOUND;
        int rows = command.limits().count();
        if (command instanceof SinglePartitionReadCommand)
            rows = Math.min(rows, command.limits().perPartitionCount());
        return rows == DataLimits.NO_LIMIT ? ReadRequests.NO_BOUND : Math.max(rows, 1);
    }

    /** The row that the answer stands at, filtered; null if nothing is left of it. */
    Row readRow(Answer answer)
    {
        return read(answer, selection, false);
    }

    /** The row that the answer stands at, with all columns. */
    Row readWholeRow(Answer answer)
    {
        return read(answer, null, false);
    }

    Row readStaticRow(Answer answer)
    {
        Row row = read(answer, selection, true);
        return row == null ? Rows.EMPTY_STATIC_ROW : row;
    }

    Row readWholeStaticRow(Answer answer)
    {
        Row row = read(answer, null, true);
        return row == null ? Rows.EMPTY_STATIC_ROW : row;
    }

    private Row read(Answer answer, ColumnSelection wanted, boolean isStatic)
    {
        Row row = FragmentReader.local().read(answer.buffer(), answer.start(), answer.end(), columns, wanted, isStatic);
        boolean mayLoseCells = row != null && row.primaryKeyLivenessInfo().isExpiring() && selection.fetchesUnqueried();
        return mayLoseCells ? new ExpiringRow(row) : row;
    }
}
