/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.util.Iterator;
import java.util.List;

import org.apache.cassandra.cql3.BatchQueryOptions;
import org.apache.cassandra.cql3.CQLStatement;
import org.apache.cassandra.cql3.QueryOptions;
import org.apache.cassandra.cql3.statements.BatchStatement;
import org.apache.cassandra.cql3.statements.ModificationStatement;
import org.apache.cassandra.db.ClusteringBound;
import org.apache.cassandra.db.RangeTombstone;
import org.apache.cassandra.db.Slice;
import org.apache.cassandra.db.Slices;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.exceptions.InvalidRequestException;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.service.ClientState;

import io.cassiterite.node.EngineTable;

/**
 * Refuses the deletion of a range from an engine table when a bound has a null. Cassandra accepts it, and its own
 * memtables fail on it. The engine would sort the null before all values: {@code c >= null} would delete the
 * partition's rows. The coordinator refuses it before it writes to a batch log or to Paxos; a replica refuses it from
 * any coordinator. Both also refuse {@link TupleParts} that have no place among the values of their type.
 */
public final class NullBounds
{
    private static final String MESSAGE = "Invalid null value in condition for column %s: a range of %s to delete needs a value as bound";

    private NullBounds()
    {
    }

    /** @throws InvalidRequestException for a client that may run the statement; Cassandra's own errors precede it */
    public static void check(CQLStatement statement, QueryOptions options, ClientState client)
    {
        if (!mayBeRefused(statement))
            return;
        options.prepare(statement.getBindVariables());
        if (options.getValues().size() != statement.getBindVariables().size())
            return;
        if (statement instanceof BatchStatement)
            check((BatchStatement) statement, BatchQueryOptions.withoutPerStatementVariables(options), client);
        else
            refuse(find((ModificationStatement) statement, options), statement, client);
    }

    public static void check(BatchStatement batch, BatchQueryOptions options, ClientState client)
    {
        List<ModificationStatement> statements = batch.getStatements();
        for (int i = 0; i < statements.size(); i++)
            if (mayBeRefused(statements.get(i)))
                refuse(find(statements.get(i), options.forStatement(i)), batch, client);
    }

    /** Cheap, because every statement is checked. */
    private static boolean mayBeRefused(CQLStatement statement)
    {
        if (statement instanceof BatchStatement)
            return ((BatchStatement) statement).getStatements().stream().anyMatch(NullBounds::mayBeRefused);
        if (!(statement instanceof ModificationStatement))
            return false;
        ModificationStatement modification = (ModificationStatement) statement;
        return (modification.hasSlices() || TupleParts.areIn(modification)) && EngineTable.is(modification.metadata());
    }

    private static void refuse(InvalidRequestException refusal, CQLStatement statement, ClientState client)
    {
        if (refusal == null)
            return;
        statement.authorize(client);
        statement.validate(client);
        throw refusal;
    }

    private static InvalidRequestException find(ModificationStatement statement, QueryOptions options)
    {
        if (!statement.hasSlices())
            return TupleParts.findInRows(statement, options);
        Slices slices;
        try
        {
            slices = statement.createSlices(options);
        }
        catch (RuntimeException | AssertionError e)
        {
            return null; // the execution fails in the same way, once the client is known to have the permission
        }
        for (Slice slice : slices)
        {
            InvalidRequestException refusal = find(statement.metadata(), slice);
            if (refusal == null)
                refusal = TupleParts.findIncomparable(statement.metadata(), slice);
            if (refusal != null)
                return refusal;
        }
        return null;
    }

    /** @throws InvalidRequestException if the update has such a deletion */
    public static void check(PartitionUpdate update)
    {
        for (Iterator<RangeTombstone> ranges = update.deletionInfo().rangeIterator(false); ranges.hasNext(); )
        {
            Slice slice = ranges.next().deletedSlice();
            InvalidRequestException refusal = find(update.metadata(), slice);
            if (refusal == null)
                refusal = TupleParts.findWithoutPosition(update.metadata(), slice);
            if (refusal != null)
                throw refusal;
        }
    }

    private static InvalidRequestException find(TableMetadata table, Slice slice)
    {
        InvalidRequestException refusal = find(table, slice.start());
        return refusal == null ? find(table, slice.end()) : refusal;
    }

    private static InvalidRequestException find(TableMetadata table, ClusteringBound<?> bound)
    {
        for (int i = 0; i < bound.size(); i++)
            if (bound.get(i) == null)
                return new InvalidRequestException(String.format(MESSAGE, table.clusteringColumns().get(i).name, table));
        return null;
    }
}
