/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package io.cassiterite.index;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import org.apache.cassandra.cql3.Operator;
import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.filter.RowFilter;

import io.cassiterite.memtable.ValueRange;

/** What a query asks of one index: values, or a range of them. Not changed once a plan has it. */
final class Asked
{
    private final IndexedColumn column;
    private final List<RowFilter.Expression> expressions = new ArrayList<>(1);

    Asked(IndexedColumn column)
    {
        this.column = column;
    }

    /** Takes one more expression that the index supports. */
    void add(RowFilter.Expression expression)
    {
        expressions.add(expression);
    }

    /** The values that each hit has: several of a collection; none if the query asks for a range. */
    Set<Clustering<?>> values()
    {
        Set<Clustering<?>> values = new LinkedHashSet<>();
        for (RowFilter.Expression expression : expressions)
            if (!IndexedColumn.isRange(expression.operator()))
                values.add(column.valueOf(expression.getIndexValue()));
        return values;
    }

    /** The range, where there is no single value. Of several bounds one is enough, since the filter has all. */
    ValueRange range()
    {
        RowFilter.Expression from = null;
        RowFilter.Expression to = null;
        for (RowFilter.Expression expression : expressions)
        {
            if (expression.operator() == Operator.GT || expression.operator() == Operator.GTE)
                from = expression;
            else
                to = expression;
        }
        return new ValueRange(from == null ? null : column.valueOf(from.getIndexValue()), from != null && from.operator() == Operator.GTE,
                              to == null ? null : column.valueOf(to.getIndexValue()), to != null && to.operator() == Operator.LTE);
    }
}
