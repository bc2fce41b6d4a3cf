/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.memtable;

import java.util.List;

import org.apache.cassandra.cql3.CQLStatement;
import org.apache.cassandra.cql3.ColumnSpecification;
import org.apache.cassandra.cql3.QueryOptions;
import org.apache.cassandra.cql3.statements.ModificationStatement;
import org.apache.cassandra.cql3.statements.SelectStatement;
import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.ClusteringPrefix;
import org.apache.cassandra.db.Slice;
import org.apache.cassandra.db.marshal.AbstractType;
import org.apache.cassandra.db.marshal.TupleType;
import org.apache.cassandra.db.marshal.ValueAccessor;
import org.apache.cassandra.exceptions.InvalidRequestException;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.service.ClientState;

import io.cassiterite.node.EngineTable;

/**
 * The parts of a tuple of clustering columns, as {@code (a, b) < ?} has them. Cassandra does not check their bytes, and its
 * comparators fail on some. The engine has no place for these among the values: a range would reach too far.
 */
public final class TupleParts
{
    private static final String DELETION = "a range of %s to delete needs a value of type %s as bound";
    private static final String READ = "a read of %s needs a value of type %s";
    private static final String WRITE = "a write to %s needs a value of type %s";
    private static final String NO_VALUE = "Invalid value in condition for column %s: %s, not 0x%s";

    private TupleParts()
    {
    }

    /**
     * Checks a SELECT from an engine table.
     *
     * @throws InvalidRequestException for a client that may run the statement; Cassandra's own errors precede it
     */
    public static void check(CQLStatement statement, QueryOptions options, ClientState client)
    {
        if (!(statement instanceof SelectStatement) || !areIn(statement))
            return;
        SelectStatement select = (SelectStatement) statement;
        if (!EngineTable.is(select.table) || select.parameters.isDistinct)
            return;
        options.prepare(select.getBindVariables());
        if (options.getValues().size() != select.getBindVariables().size())
            return;
        InvalidRequestException refusal = find(select, options);
        if (refusal == null)
            return;
        statement.authorize(client);
        statement.validate(client);
        throw refusal;
    }

    /** Cheap, because every statement is checked. Cassandra checks other values, and lists of tuples, as it binds them. */
    static boolean areIn(CQLStatement statement)
    {
        List<ColumnSpecification> variables = statement.getBindVariables();
        for (int i = 0; i < variables.size(); i++)
            if (variables.get(i).type instanceof TupleType)
                return true;
        return false;
    }

    private static InvalidRequestException find(SelectStatement select, QueryOptions options)
    {
        try
        {
            if (select.getRestrictions().isColumnRange())
            {
                for (Slice slice : select.makeSlices(options))
                {
                    InvalidRequestException refusal = find(select.table, slice, false, READ);
                    if (refusal != null)
                        return refusal;
                }
                return null;
            }
            return find(select.table, select.getRestrictions().getClusteringColumns(options, ClientState.forInternalCalls()), READ);
        }
        catch (RuntimeException | AssertionError e)
        {
            return null; // the execution fails in the same way, once the client is known to have the permission
        }
    }

    /** For the coordinator of a write that names its rows. */
    static InvalidRequestException findInRows(ModificationStatement statement, QueryOptions options)
    {
        try
        {
            return find(statement.metadata(), statement.createClustering(options, ClientState.forInternalCalls()), WRITE);
        }
        catch (RuntimeException | AssertionError e)
        {
            return null; // as above
        }
    }

    private static InvalidRequestException find(TableMetadata table, Iterable<Clustering<?>> rows, String purpose)
    {
        for (Clustering<?> row : rows)
        {
            InvalidRequestException refusal = find(table, row, false, purpose);
            if (refusal != null)
                return refusal;
        }
        return null;
    }

    /** For the coordinator of a deletion, which refuses what stock tables would fail on. */
    static InvalidRequestException findIncomparable(TableMetadata table, Slice slice)
    {
        return find(table, slice, true, DELETION);
    }

    /** For a replica, which takes a decimal without digits: it may be the bound of a page. */
    static InvalidRequestException findWithoutPosition(TableMetadata table, Slice slice)
    {
        return find(table, slice, false, DELETION);
    }

    private static InvalidRequestException find(TableMetadata table, Slice slice, boolean comparable, String purpose)
    {
        InvalidRequestException refusal = find(table, slice.start(), comparable, purpose);
        return refusal == null ? find(table, slice.end(), comparable, purpose) : refusal;
    }

    private static <V> InvalidRequestException find(TableMetadata table, ClusteringPrefix<V> prefix, boolean comparable, String purpose)
    {
        ValueAccessor<V> accessor = prefix.accessor();
        for (int i = 0; i < prefix.size(); i++)
        {
            V value = prefix.get(i);
            AbstractType<?> type = table.comparator.subtype(i);
            if (value == null || UncheckedBytes.havePosition(type, accessor, value)
                                 && (!comparable || UncheckedBytes.areComparable(type, accessor, value)))
                continue;
            return new InvalidRequestException(String.format(NO_VALUE, table.clusteringColumns().get(i).name,
                                                             String.format(purpose, table, type.asCQL3Type()), accessor.toHex(value)));
        }
        return null;
    }
}
